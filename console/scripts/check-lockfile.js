// package-lock.json must install everywhere: no registry's address in it, and every optional package
// of every platform listed, or `npm ci` refuses it elsewhere. Run by `npm run check`.

import { readFileSync } from "node:fs";

/** @typedef {{ resolved?: string, optionalDependencies?: Record<string, string> }} Entry */

/** @type {{ packages: Record<string, Entry> }} */
const { packages } = JSON.parse(
  readFileSync(new URL("../package-lock.json", import.meta.url), "utf8"),
);
const paths = Object.keys(packages);
const problems = Object.entries(packages).flatMap(([path, entry]) => [
  ...(entry.resolved === undefined ? [] : [`${path} names the address ${entry.resolved}`]),
  ...Object.keys(entry.optionalDependencies ?? {})
    .filter((name) => !paths.some((each) => each.endsWith(`node_modules/${name}`)))
    .map((name) => `${name}, optional for ${path}, is not listed`),
]);

for (const problem of problems) {
  console.error(problem);
}
console.log(`package-lock.json: ${problems.length} problems`);
process.exitCode = problems.length === 0 ? 0 : 1;
