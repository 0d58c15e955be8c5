// Colours for code: a chunk of its own, fetched when the first block of code is complete, and each
// language when it is first met.

import { createHighlighterCore, type HighlighterCore, type LanguageInput } from "shiki/core";
import { createJavaScriptRegexEngine } from "shiki/engine/javascript";

/** The pieces of one line. */
export type ColouredLine = { content: string; style: Record<string, string> }[];

const LANGUAGES: Readonly<Record<string, () => Promise<{ default: LanguageInput }>>> = {
  bash: () => import("shiki/langs/bash.mjs"),
  c: () => import("shiki/langs/c.mjs"),
  css: () => import("shiki/langs/css.mjs"),
  diff: () => import("shiki/langs/diff.mjs"),
  go: () => import("shiki/langs/go.mjs"),
  html: () => import("shiki/langs/html.mjs"),
  java: () => import("shiki/langs/java.mjs"),
  javascript: () => import("shiki/langs/javascript.mjs"),
  json: () => import("shiki/langs/json.mjs"),
  markdown: () => import("shiki/langs/markdown.mjs"),
  python: () => import("shiki/langs/python.mjs"),
  rust: () => import("shiki/langs/rust.mjs"),
  sql: () => import("shiki/langs/sql.mjs"),
  toml: () => import("shiki/langs/toml.mjs"),
  typescript: () => import("shiki/langs/typescript.mjs"),
  xml: () => import("shiki/langs/xml.mjs"),
  yaml: () => import("shiki/langs/yaml.mjs"),
};

const OTHER_NAMES: Readonly<Record<string, string>> = {
  curl: "bash",
  "c++": "c",
  cpp: "c",
  js: "javascript",
  jsx: "javascript",
  md: "markdown",
  py: "python",
  rs: "rust",
  sh: "bash",
  shell: "bash",
  ts: "typescript",
  tsx: "typescript",
  yml: "yaml",
  zsh: "bash",
};

/** Longer texts would hold up the page. */
const LONGEST = 50_000;

let highlighter: Promise<HighlighterCore> | undefined;

/** The coloured lines; undefined where the language is unknown. */
export async function coloursOf(text: string, name: string): Promise<ColouredLine[] | undefined> {
  const language = OTHER_NAMES[name.toLowerCase()] ?? name.toLowerCase();
  const load = LANGUAGES[language];
  if (load === undefined || text.length > LONGEST) {
    return undefined;
  }
  highlighter ??= createHighlighterCore({
    themes: [
      import("shiki/themes/github-light-high-contrast.mjs"),
      import("shiki/themes/github-dark-high-contrast.mjs"),
    ],
    langs: [],
    engine: createJavaScriptRegexEngine({ forgiving: true }),
  });
  const ready = await highlighter;
  await ready.loadLanguage((await load()).default);
  const { tokens } = ready.codeToTokens(text, {
    lang: language,
    themes: { light: "github-light-high-contrast", dark: "github-dark-high-contrast" },
    defaultColor: false,
  });
  return tokens.map((line) =>
    line.map(({ content, htmlStyle }) => ({
      content,
      style: typeof htmlStyle === "object" ? htmlStyle : {},
    })),
  );
}
