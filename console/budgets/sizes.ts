// Sizes of what a page asks for, after gzip, from the files of the build.

import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import type { Page } from "@playwright/test";

const DIST = fileURLToPath(new URL("../dist/", import.meta.url));

/** Kilobytes (1000 bytes) after gzip. */
function gzipped(path: string): number {
  return gzipSync(readFileSync(`${DIST}${path}`), { level: 9 }).length / 1_000;
}

/** What a page fetched from the build while `visit` ran. */
export interface Fetched {
  script: number;
  style: number;
  languages: string[];
  foreign: string[];
}

/** Adds up what is fetched; every file once. */
export async function fetchedBy(page: Page, visit: () => Promise<void>): Promise<Fetched> {
  const assets = new Set<string>();
  const foreign: string[] = [];
  const origin = new URL(page.url() === "about:blank" ? "http://127.0.0.1" : page.url()).hostname;
  page.on("request", (request) => {
    const { pathname, hostname } = new URL(request.url());
    if (hostname !== origin) {
      foreign.push(request.url());
    } else if (pathname.startsWith("/assets/")) {
      assets.add(pathname.slice(1));
    }
  });
  await visit();
  const sum = (ending: string) =>
    [...assets]
      .filter((name) => name.endsWith(ending))
      .reduce((all, name) => all + gzipped(name), 0);
  const languages = [...assets].filter((name) => /\/(en|zh-CN)-/.test(name));
  return { script: sum(".js"), style: sum(".css"), languages, foreign };
}

/** The build as most browsers get it: the brotli twin where there is one. */
export function embeddedMegabytes(): number {
  const names = readdirSync(DIST, { recursive: true, encoding: "utf8" });
  const bytes = names
    .filter((name) => /\.\w+$/.test(name) && !name.endsWith(".gz"))
    .filter((name) => name.endsWith(".br") || !names.includes(`${name}.br`))
    .map((name) => readFileSync(`${DIST}${name}`).length);
  return bytes.reduce((all, each) => all + each, 0) / 1_000_000;
}

/** The largest language file. */
export function largestLanguage(): number {
  const names = readdirSync(`${DIST}assets`).filter((name) => /^(en|zh-CN)-.*\.js$/.test(name));
  return Math.max(...names.map((name) => gzipped(`assets/${name}`)));
}
