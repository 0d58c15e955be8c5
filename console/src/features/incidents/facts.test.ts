import { expect, it } from "vitest";
import { factLines } from "./facts";

it("tells every fact in a line, in the order of the gateway", () => {
  const facts = { reason: "503", models: ["a", "b"], percent: 41.5, left: { x: 1 } };
  expect(factLines(facts, "en")).toEqual([
    { name: "reason", text: "503" },
    { name: "models", text: "a, b", models: { shown: ["a", "b"], more: 0 } },
    { name: "percent", text: "41.5" },
    { name: "left", text: '{"x":1}' },
  ]);
});

it("counts keys from 1", () => {
  expect(factLines({ keys: [0, 2] }, "en")).toEqual([{ name: "keys", text: "1, 3" }]);
});

it("writes sizes, money and times as people read them", () => {
  const users = [{ user_id: 7, spent_usd: "12.5" }];
  const facts = { free_bytes: 3_200_000_000, usual_usd: "0.25", users, ends_at: "2026-01-02" };
  const texts = factLines(facts, "en").map(({ text }) => text);
  expect(texts.slice(0, 3)).toEqual(["3.2 GB", "$0.25", "#7: $12.50"]);
  expect(texts[3]).toMatch(/2026/);
});

it("leaves out what says nothing and shortens long lists", () => {
  const many = Array.from({ length: 23 }, (_, index) => index);
  const [line, ...others] = factLines({ many, none: [], empty: null, has_journal: false }, "en");
  expect(line?.text).toMatch(/^0, 1, .*19 \(\+3\)$/);
  expect(others).toEqual([]);
});

it("shows an amount of a payment in its currency, and not twice what a headline says", () => {
  const facts = { order_id: "ord_1", amount_minor: 1_250, currency: "EUR", state: "held" };
  expect(factLines(facts, "en")).toEqual([
    { name: "order_id", text: "ord_1" },
    { name: "amount", text: "€12.50" },
  ]);
});
