// Fails the build when a page outgrows its size budget: what must arrive before it can be used, after
// gzip. Pages and languages of the console load on their own and have a limit each.

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
/** What stands around every page below /console; loaded on its own, since other pages lack it. */
const FRAME = "src/routes/console/route.tsx";

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
  for (const [name, { origin, isEntry }] of chunks) {
    if (isEntry && origin === "console.html") {
      collect(name, chunks, shell);
    } else if (origin === FRAME) {
      collect(name, chunks, framed);
    }
  }
  return [...chunks].flatMap(([name, chunk]) => {
    const needed = collect(name, chunks, new Set());
    const { origin } = chunk;
    if (chunk.isEntry) {
      const styles = new Set([...needed].flatMap((part) => chunks.get(part)?.styles ?? []));
      const limit = ENTRY_LIMITS[origin];
      return [
        ...overLimit(`${origin} script`, needed, sizes, limit?.script),
        ...overLimit(`${origin} style`, styles, sizes, limit?.style),
      ];
    }
    if (origin.startsWith("src/i18n/")) {
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
    const all = new Set([...shell, ...frame, ...needed]);
    const hasCharts = [...all].some((part) => chunks.get(part)?.hasCharts === true);
    return overLimit(origin, all, sizes, hasCharts ? CHART_PAGE_LIMIT : PAGE_LIMIT);
  });
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
          chunks.set(file.fileName, {
            origin: (file.facadeModuleId ?? "").replace(root, "").split("?", 1)[0] ?? "",
            isEntry: file.isEntry,
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
