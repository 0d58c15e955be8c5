import { describe, expect, it } from "vitest";
import { brokenBudgets, type SizedChunk } from "./budgets";

const chunk = (parts: Partial<SizedChunk>): SizedChunk => ({
  origin: "",
  isEntry: false,
  imports: [],
  styles: [],
  ...parts,
});

const chunks = new Map<string, SizedChunk>([
  ["home.js", chunk({ origin: "index.html", isEntry: true, imports: ["shared.js"] })],
  [
    "console.js",
    chunk({ origin: "console.html", isEntry: true, imports: ["shared.js"], styles: ["c.css"] }),
  ],
  ["shared.js", chunk({})],
  ["page.js", chunk({ origin: "src/routes/console/x.tsx", imports: ["shared.js", "console.js"] })],
]);

describe("brokenBudgets", () => {
  it("is silent within the limits", () => {
    const sizes = new Map([
      ["home.js", 9_000],
      ["shared.js", 5_000],
      ["console.js", 200_000],
      ["c.css", 40_000],
      ["page.js", 40_000],
    ]);
    expect(brokenBudgets(chunks, sizes)).toEqual([]);
  });

  it("counts what an entry imports", () => {
    const sizes = new Map([
      ["home.js", 9_000],
      ["shared.js", 7_000],
    ]);
    expect(brokenBudgets(chunks, sizes)).toEqual([
      "index.html script: 16.0 KB gzip, the budget is 15 KB",
    ]);
  });

  it("counts styles apart, and a page without what the shell brought", () => {
    const sizes = new Map([
      ["console.js", 250_000],
      ["c.css", 46_000],
      ["page.js", 91_000],
    ]);
    expect(brokenBudgets(chunks, sizes)).toEqual([
      "console.html style: 46.0 KB gzip, the budget is 45 KB",
      "src/routes/console/x.tsx: 91.0 KB gzip, the budget is 90 KB",
    ]);
  });
});
