import type { i18n } from "i18next";
import { beforeAll, expect, it } from "vitest";
import { addLaterTexts } from "@/i18n/later";
import { setUpTranslation } from "@/i18n/setup";
import { eventText } from "./event";
import { incidentWords, type Sayable } from "./incident";
import { taskText } from "./task";

let chinese: i18n;
let english: i18n;

beforeAll(async () => {
  [english, chinese] = await Promise.all([setUpTranslation("en"), setUpTranslation("zh-CN")]);
  await Promise.all([addLaterTexts(english, "en"), addLaterTexts(chinese, "zh-CN")]);
});

const down: Sayable = {
  rule: "channel_down",
  severity: "critical",
  state: "open",
  is_seen: true,
  last_seen_at: "2026-11-18T12:00:00Z",
  title: "Channel main is down",
  summary: "Overloaded. Nobody else serves gpt-5.",
  channel: null,
  model: null,
  facts: { channel: "main", reason: "overloaded", unserved_models: ["gpt-5"] },
};

const wordsOf = (incident: Sayable, { t, language }: i18n) => incidentWords(t, language, incident);

it("says an incident in the reader's language, in English as the gateway does", () => {
  expect(wordsOf(down, english)).toEqual({ title: down.title, summary: down.summary });
  expect(wordsOf(down, chinese)).toEqual({
    title: "渠道 main 故障",
    summary: "原因：Overloaded。 没有其他渠道提供 gpt-5。",
  });
});

it("leaves the gateway's words where a fact is missing or the rule is new", () => {
  const old = { ...down, facts: { reason: "overloaded" } };
  expect(wordsOf(old, chinese).title).toBe(down.title);
  const later = { ...down, rule: "meteor" as Sayable["rule"] };
  expect(wordsOf(later, chinese).title).toBe(down.title);
});

it("says that an open incident is not seen any more", () => {
  expect(wordsOf({ ...down, is_seen: false }, english).summary).toMatch(/^Not seen any more since/);
  expect(wordsOf({ ...down, is_seen: false, state: "closed" }, english).summary).toBe(down.summary);
});

it("says what a rule found then, and what people wrote as they wrote it", () => {
  const event = {
    id: 1,
    at: "",
    actor_id: null,
    actor: null,
    kind: "opened",
    message: "x",
  } as const;
  const then = { channel: "main", reason: "late", unserved_models: [] };
  const note = { code: "found", values: { summary: "x", facts: then } } as const;
  const said = eventText(chinese.t, "zh-CN", { ...event, note }, down);
  expect(said).toBe("原因：Late。 其模型由其他渠道提供。");
  const written = { ...event, kind: "note", message: "Rebooted it.", note: null } as const;
  expect(eventText(chinese.t, "zh-CN", written, down)).toBe("Rebooted it.");
});

it("says what a task says, with its values", () => {
  const note = { code: "tested", values: { count: 3, failed: 1 } } as const;
  expect(taskText(chinese.t, { note, message: "1 of 3 failed." })).toBe("3 项中有 1 项失败。");
  expect(taskText(chinese.t, { note: null, message: "Old." })).toBe("Old.");
});
