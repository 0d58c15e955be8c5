// Every language has every key, with the same inserted values; every key is used, every used key
// exists. Run by `npm run check`.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { compareLanguages, unknownTexts, unusedKeys } from "./translations.js";

const root = fileURLToPath(new URL("..", import.meta.url));
const SETS = [
  { folder: "src/i18n/home", sources: ["index.html", "src/features/home"] },
  { folder: "src/i18n/console", sources: ["src"] },
];

/** @param {string} path @returns {Record<string, string>} */
const readFile = (path) => JSON.parse(readFileSync(path, "utf8"));

/**
 * A language's texts: one file, or one folder with a file for each feature.
 * @param {string} path
 * @returns {Record<string, string>}
 */
function readTexts(path) {
  if (path.endsWith(".json")) {
    return readFile(path);
  }
  const files = readdirSync(path).map((name) => readFile(join(path, name)));
  return Object.assign({}, ...files);
}

/**
 * The text of a file, or of every source file below a folder.
 * @param {string} path
 * @returns {string}
 */
function readSources(path) {
  const full = join(root, path);
  if (!existsSync(full) || path.endsWith(".html")) {
    return readFileSync(full, "utf8");
  }
  return readdirSync(full, { recursive: true, encoding: "utf8" })
    .filter((name) => /(?<!\.test|\.gen|\.d)\.tsx?$/.test(name))
    .map((name) => readFileSync(join(full, name), "utf8"))
    .join("\n");
}

const problems = SETS.flatMap(({ folder, sources }) => {
  const languages = new Map(
    readdirSync(join(root, folder))
      .filter((name) => !name.endsWith(".ts"))
      .map((name) => [name.replace(/\.json$/, ""), readTexts(join(root, folder, name))]),
  );
  const english = languages.get("en");
  if (english === undefined) {
    return [`${folder}: English is missing`];
  }
  const source = sources.map(readSources).join("\n");
  return [
    ...compareLanguages(english, languages),
    ...unusedKeys(english, source),
    ...unknownTexts(english, source),
  ].map((problem) => `${folder}: ${problem}`);
});

for (const problem of problems) {
  console.error(problem);
}
console.log(`translations: ${problems.length} problems`);
process.exitCode = problems.length === 0 ? 0 : 1;
