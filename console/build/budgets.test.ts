import { describe, expect, it } from "vitest";
import { brokenBudgets, type SizedChunk } from "./budgets";

const chunk = (parts: Partial<SizedChunk>): SizedChunk => ({
  origin: "",
  isEntry: false,
  imports: [],
  styles: [],
  hasCharts: false,
  ...parts,
});

const chunks = new Map<string, SizedChunk>([
  ["home.js", chunk({ origin: "index.html", isEntry: true, imports: ["shared.js"] })],
  [
    "console.js",
    chunk({ origin: "console.html", isEntry: true, imports: ["shared.js"], styles: ["c.css"] }),
  ],
  ["shared.js", chunk({})],
  ["frame.js", chunk({ origin: "src/routes/console/route.tsx", imports: ["console.js"] })],
  ["page.js", chunk({ origin: "src/routes/console/x.tsx", imports: ["shared.js", "console.js"] })],
  ["login.js", chunk({ origin: "src/routes/login/index.tsx", imports: ["console.js"] })],
  ["en.js", chunk({ origin: "src/i18n/console/en.ts" })],
  ["zh.js", chunk({ origin: "src/i18n/console/zh-CN.ts" })],
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

  it("counts styles apart, and a page with the shell and its frame", () => {
    const sizes = new Map([
      ["console.js", 250_000],
      ["c.css", 46_000],
      ["frame.js", 40_000],
      ["page.js", 61_000],
    ]);
    expect(brokenBudgets(chunks, sizes)).toEqual([
      "console.html style: 46.0 KB gzip, the budget is 45 KB",
      "src/routes/console/x.tsx: 351.0 KB gzip, the budget is 350 KB",
    ]);
  });

  it("counts the largest language with a page, and gives the sign-in page no more than the shell", () => {
    const sizes = new Map([
      ["console.js", 230_000],
      ["en.js", 20_000],
      ["zh.js", 25_000],
      ["login.js", 6_000],
      ["page.js", 96_000],
    ]);
    expect(brokenBudgets(chunks, sizes)).toEqual([
      "src/routes/console/x.tsx: 351.0 KB gzip, the budget is 350 KB",
      "src/routes/login/index.tsx: 261.0 KB gzip, the budget is 260 KB",
    ]);
  });

  it("gives a page with charts more room", () => {
    const withCharts = new Map(chunks).set(
      "page.js",
      chunk({ origin: "src/routes/console/x.tsx", imports: ["console.js"], hasCharts: true }),
    );
    const sizes = new Map([
      ["console.js", 250_000],
      ["page.js", 140_000],
    ]);
    expect(brokenBudgets(withCharts, sizes)).toEqual([]);
  });
});
