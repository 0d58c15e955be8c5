// Fails the build when a page outgrows its size budget: what must arrive before it can be used, after
// gzip, with one language. What a page fetches later, when somebody asks for it, is not counted here;
// `npm run budgets` measures in a browser.

import { gzipSync } from "node:zlib";
import type { Plugin } from "vite";

/** Kilobytes (1000 bytes) of script and style that an entry may need at once. */
const ENTRY_LIMITS: Readonly<Record<string, { script: number; style: number }>> = {
  "index.html": { script: 15, style: 10 },
  "console.html": { script: 260, style: 45 },
};
/** All script that a page may need, with the shell and the frame around it. */
const PAGE_LIMIT = 350;
const CHART_PAGE_LIMIT = 400;
const LANGUAGE_LIMIT = 30;
/** The first page of whoever is not signed in: it has no more room than the shell. */
const SIGN_IN = "src/routes/login/index.tsx";
const SIGN_IN_LIMIT = 260;
/** What stands around every page below /console; loaded on its own, since other pages lack it. */
const FRAME = "src/routes/console/route.tsx";
/** Tells the chunk of the shell, which has no page of its own to be named after. */
const SHELL_MODULE = "src/main.tsx";

/** The part of a built chunk that counts here. */
export interface SizedChunk {
  /** The module that it was made for: an entry, a page, a language file; empty for shared code. */
  origin: string;
  isEntry: boolean;
  imports: readonly string[];
  styles: readonly string[];
  /** Whether the chart library is in it. */
  hasCharts: boolean;
}

/** Gzip bytes by file name. */
export type Sizes = ReadonlyMap<string, number>;

/** One line for every limit that is broken. */
export function brokenBudgets(chunks: ReadonlyMap<string, SizedChunk>, sizes: Sizes): string[] {
  const shell = new Set<string>();
  const framed = new Set<string>();
  let language: string | undefined;
  for (const [name, { origin, isEntry }] of chunks) {
    if (isEntry && origin === "console.html") {
      collect(name, chunks, shell);
    } else if (origin === FRAME) {
      collect(name, chunks, framed);
    } else if (isLanguage(origin) && (sizes.get(name) ?? 0) > (sizes.get(language ?? "") ?? 0)) {
      language = name;
    }
  }
  const languages = language === undefined ? [] : [language];
  return [...chunks].flatMap(([name, chunk]) => {
    const needed = collect(name, chunks, new Set());
    const { origin } = chunk;
    if (chunk.isEntry) {
      const styles = new Set([...needed].flatMap((part) => chunks.get(part)?.styles ?? []));
      const limit = ENTRY_LIMITS[origin];
      const script = origin === "console.html" ? [...needed, ...languages] : needed;
      return [
        ...overLimit(`${origin} script`, script, sizes, limit?.script),
        ...overLimit(`${origin} style`, styles, sizes, limit?.style),
      ];
    }
    if (isLanguage(origin)) {
      return overLimit(
        origin,
        [...needed].filter((part) => !shell.has(part)),
        sizes,
        LANGUAGE_LIMIT,
      );
    }
    if (!origin.startsWith("src/routes/")) {
      return [];
    }
    const frame = origin.startsWith("src/routes/console/") ? framed : [];
    const all = new Set([...shell, ...languages, ...frame, ...needed]);
    if (origin === SIGN_IN) {
      return overLimit(origin, all, sizes, SIGN_IN_LIMIT);
    }
    const hasCharts = [...all].some((part) => chunks.get(part)?.hasCharts === true);
    return overLimit(origin, all, sizes, hasCharts ? CHART_PAGE_LIMIT : PAGE_LIMIT);
  });
}

function isLanguage(origin: string): boolean {
  return origin.startsWith("src/i18n/");
}

/** Adds a chunk and everything that it imports at once. */
function collect(
  name: string,
  chunks: ReadonlyMap<string, SizedChunk>,
  into: Set<string>,
): Set<string> {
  if (!into.has(name)) {
    into.add(name);
    for (const imported of chunks.get(name)?.imports ?? []) {
      collect(imported, chunks, into);
    }
  }
  return into;
}

function overLimit(
  what: string,
  files: Iterable<string>,
  sizes: Sizes,
  limitKilobytes: number | undefined,
): string[] {
  if (limitKilobytes === undefined) {
    return [];
  }
  const bytes = [...files].reduce((total, file) => total + (sizes.get(file) ?? 0), 0);
  const kilobytes = bytes / 1000;
  return kilobytes > limitKilobytes
    ? [`${what}: ${kilobytes.toFixed(1)} KB gzip, the budget is ${limitKilobytes} KB`]
    : [];
}

/** The Vite plugin around {@link brokenBudgets}. */
export function budgets(): Plugin {
  let root = "";
  return {
    name: "modelgate:budgets",
    apply: "build",
    configResolved: (config) => {
      root = `${config.root}/`;
    },
    writeBundle(_options, bundle) {
      const chunks = new Map<string, SizedChunk>();
      const sizes = new Map<string, number>();
      for (const file of Object.values(bundle)) {
        const content = file.type === "chunk" ? file.code : file.source;
        sizes.set(file.fileName, gzipSync(content, { level: 9 }).length);
        if (file.type === "chunk") {
          const isShell = file.moduleIds.includes(`${root}${SHELL_MODULE}`);
          const facade = (file.facadeModuleId ?? "").replace(root, "").split("?", 1)[0] ?? "";
          chunks.set(file.fileName, {
            origin: isShell ? "console.html" : facade,
            isEntry: file.isEntry || isShell,
            imports: file.imports,
            styles: [...(file.viteMetadata?.importedCss ?? [])],
            hasCharts: file.moduleIds.some((id) => id.includes("/node_modules/recharts/")),
          });
        }
      }
      const broken = brokenBudgets(chunks, sizes);
      if (broken.length > 0) {
        this.error(`Size budget broken\n${broken.join("\n")}`);
      }
    },
  };
}
