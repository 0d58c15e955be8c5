import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import type { Setting } from "./api";
import { inWords } from "./words";
import chinese from "./words.zh-CN.json";

/** What the generated reference says of each setting, by section. */
function reference(): Map<string, string[]> {
  const sections = new Map<string, string[]>();
  let section: string[] = [];
  for (const line of readFileSync("../docs/configuration.md", "utf8").split("\n")) {
    if (line.startsWith("## ")) {
      section = [];
      sections.set(line, section);
    } else if (line.startsWith("| `")) {
      section.push(
        line
          .split(/(?<!\\)\| /)
          .at(-1)
          ?.replace(/ \|$/, "")
          .replaceAll("\\|", "|") ?? "",
      );
    }
  }
  return sections;
}

/** Sentences that stand in no reference: why a setting cannot be changed, and what set-up decided. */
const ELSEWHERE = [
  "It is set in the configuration file or the environment, and needs a restart.",
  "It guards the machine, and is set in its configuration file or environment only.",
  "Set-up decided it.",
  "The environment variable {name} sets it.",
  "The flag {name} sets it.",
  "Whether set-up chose the demo channel, which also switches the sandbox payments on.",
];

it("has Chinese words for every setting of the console, and for nothing else", () => {
  const translated = new Set(Object.keys(chinese));
  // Channels and tokens are declared in the file alone.
  const shown = [...reference()].flatMap(([heading, section]) =>
    heading.startsWith("## `[[") ? [] : section,
  );
  expect([...translated].sort()).toEqual([...new Set([...shown, ...ELSEWHERE])].sort());
});

it("says by which flag or variable a setting is fixed", () => {
  const setting = { about: "", locked_because: "The flag --listen sets it." } as Setting;
  expect(inWords([setting], chinese)[0]?.locked_because).toBe("由命令行参数 --listen 设定。");
  expect(inWords([setting])[0]?.locked_because).toBe("The flag --listen sets it.");
});
