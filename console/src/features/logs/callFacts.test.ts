import { describe, expect, it } from "vitest";
import { setUpTranslation } from "@/i18n/setup";
import {
  addsUp,
  curlOf,
  isTokenKind,
  kindText,
  perMillion,
  replaySearch,
  statusTone,
} from "./callFacts";

describe("perMillion", () => {
  it("moves the point and keeps every digit", () => {
    expect(perMillion("0.0000004")).toBe("0.4");
    expect(perMillion("0.00000015")).toBe("0.15");
    expect(perMillion("0.000015")).toBe("15");
    expect(perMillion("1")).toBe("1000000");
    expect(perMillion("0")).toBe("0");
  });
});

describe("addsUp", () => {
  const line = (amount_usd: string) => ({ kind: "input", units: 1, price_usd: "0", amount_usd });

  it("holds to the last unit", () => {
    const lines = [line("0.000000001"), line("0.1")];
    expect(addsUp({ price_lines: lines, charge_usd: "0.100000001" })).toBe(true);
    expect(addsUp({ price_lines: lines, charge_usd: "0.1" })).toBe(false);
    expect(addsUp({ price_lines: [], charge_usd: "0" })).toBe(true);
  });

  it("counts what is finer than the charge", () => {
    const lines = [line("0.0000000375"), line("0.0000000005")];
    expect(addsUp({ price_lines: lines, charge_usd: "0.000000038" })).toBe(true);
  });
});

describe("kinds of price lines", () => {
  // As crates/billing/src/pricing/charge.rs writes them.
  const OTHERS = ["call", "image", "second", "character", "search_unit", "rounding", "not_covered"];

  it("prices tokens alone by the million", () => {
    expect(["input", "cache_write_5m", "image_output"].every(isTokenKind)).toBe(true);
    expect([...OTHERS, "tool:web_search", "constructor"].some(isTokenKind)).toBe(false);
  });

  it("has words for every kind, and leaves unknown ones as they are", async () => {
    const { t } = await setUpTranslation("en");
    for (const kind of OTHERS) {
      expect(kindText(kind, t)).not.toBe(kind);
    }
    expect(kindText("search_unit", t)).toBe("Search units");
    expect(kindText("tool:web_search", t)).toBe("Tool web_search");
    expect(kindText("brand_new", t)).toBe("brand_new");
  });
});

describe("curlOf", () => {
  it("quotes what a client chose", () => {
    const text = curlOf({ endpoint: "/v1/chat/completions", model: "a'b" }, "http://x");
    expect(text).toContain(`"model":"a'\\''b"`);
    expect(text).toContain('-H "authorization: Bearer $MODELGATE_API_KEY"');
  });

  it("takes a file where there is no short question", () => {
    expect(curlOf({ endpoint: "/v1/embeddings", model: "m" }, "http://x")).toContain("-d @body");
  });
});

it("replays on the endpoint that the playground knows", () => {
  expect(replaySearch({ endpoint: "/v1/messages", model: "m" })).toEqual({
    endpoint: "messages",
    model: "m",
  });
  expect(replaySearch({ endpoint: "/v1/other", model: "m" })).toEqual({ model: "m" });
});

it("tells the caller's mistakes from the gateway's", () => {
  expect([200, 404, 502].map(statusTone)).toEqual(["good", "warning", "bad"]);
});
