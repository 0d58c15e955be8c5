// Whatever the gateway can say has words in every language: its kinds are read from the description of its interface,
// and the codes of refusals, which that does not list, from the gateway's sources.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { EVENT_TEXT, RULE_TEXT } from "@/features/incidents/words";
import { REASON_TEXT } from "@/features/routing/reasons";
import { STATE_CAUSES } from "./channel";
import { EVENT_NOTES } from "./event";
import { INCIDENT_WORDS } from "./incident";
import { STEP_NOTES } from "./step";
import { TASK_KINDS, TASK_NOTES } from "./task";
import { IN_PART, WHOLE } from "./useRefusalText";

type Texts = Record<string, string>;

const LANGUAGES = ["en", "zh-CN"] as const;
const TEXTS = "src/i18n/console";
const SERVER = "../crates/server/src";

function textsOf(language: string): Texts {
  const folder = join(TEXTS, language);
  const files = readdirSync(folder).map((name) => readFileSync(join(folder, name), "utf8"));
  return Object.assign({}, ...files.map((text) => JSON.parse(text)));
}

interface Schema {
  const?: string;
  enum?: string[];
  oneOf?: Schema[];
  properties?: Record<string, Schema>;
}

/** The words of a schema: of its own, or of the `code` of each of its shapes. */
function kindsOf(schema: Schema): string[] {
  const { const: one, enum: several = [], oneOf = [], properties } = schema;
  const code = properties?.code;
  return [
    ...(one === undefined ? [] : [one]),
    ...several,
    ...oneOf.flatMap(kindsOf),
    ...(code === undefined ? [] : kindsOf(code)),
  ];
}

const description = JSON.parse(readFileSync("../docs/api/openapi.json", "utf8"));
const schemas: Record<string, Schema> = description.components.schemas;
const named = (name: string) => kindsOf(schemas[name] ?? {});
const field = (schema: string, name: string) => kindsOf(schemas[schema]?.properties?.[name] ?? {});

/** Every text of a language whose key begins so: itself, or one of its plural forms. */
const has = (texts: Texts, key: string) => key in texts || `${key}_other` in texts;

describe.each([
  ["kinds of tasks", named("TaskKind"), TASK_KINDS],
  ["notes of tasks", named("TaskNote"), TASK_NOTES],
  ["kinds of events", field("IncidentEvent", "kind"), EVENT_TEXT],
  ["notes of events", named("EventNote").filter((code) => code !== "found"), EVENT_NOTES],
  ["names of rules", named("IncidentRule"), RULE_TEXT],
  ["notes of steps", named("StepNote"), STEP_NOTES],
  ["causes of states", named("StateCause").filter((cause) => cause !== "set"), STATE_CAUSES],
  ["reasons of routing", named("ExclusionReason"), REASON_TEXT],
  ["codes of refusals", refusalCodes(), { ...WHOLE, ...IN_PART }],
])("%s", (_, kinds, keys: Readonly<Record<string, string>>) => {
  it("are those of the gateway", () => {
    expect(kinds.length).toBeGreaterThan(0);
    expect(Object.keys(keys)).toEqual(expect.arrayContaining(kinds));
  });

  it.each(LANGUAGES)("have words in %s", (language) => {
    const texts = textsOf(language);
    const silent = kinds.filter((kind) => !has(texts, keys[kind] ?? ""));
    expect(silent).toEqual([]);
  });
});

it("every rule has a headline and a summary", () => {
  expect(Object.keys(INCIDENT_WORDS)).toEqual(expect.arrayContaining(named("IncidentRule")));
});

/** Codes are written out where a refusal is made. */
function refusalCodes(): string[] {
  const files = readdirSync(SERVER, { recursive: true, encoding: "utf8" });
  const codes = files
    .filter((name) => name.endsWith(".rs") && /^(management|accounts|payments)/.test(name))
    .flatMap((name) => [
      ...readFileSync(join(SERVER, name), "utf8").matchAll(
        /(?:with_code\(|login_refused\(|StatusCode::(?!OK)[A-Z_]+,)\s*"([a-z_]+)"/g,
      ),
    ]);
  return [...new Set(codes.map(([, code = ""]) => code))];
}
