// The models of a channel as people edit them: the upstream's name, and the names that clients ask for.

import { aliasOf, entryOf, upstreamOf } from "@/lib/servedModels";

/** One model of an upstream. */
export interface ServedModel {
  /** What clients ask for; several names are separated by commas. */
  alias: string;
  /** What the upstream calls it. */
  upstream: string;
}

/** Reads the interface's `alias` and `alias=upstream`, and the map beside them. */
export function readModels(
  models: readonly string[],
  mapping: Readonly<Record<string, string>> = {},
): ServedModel[] {
  const byUpstream = new Map<string, string[]>();
  for (const entry of models) {
    const upstream = upstreamOf(entry, mapping);
    byUpstream.set(upstream, [...(byUpstream.get(upstream) ?? []), aliasOf(entry)]);
  }
  return [...byUpstream].map(([upstream, aliases]) => ({ alias: aliases.join(", "), upstream }));
}

/** Writes them as the interface takes them. */
export function writeModels(models: readonly ServedModel[]): string[] {
  return models.flatMap(({ alias, upstream }) =>
    alias
      .split(",")
      .map((name) => name.trim())
      .filter((name) => name !== "")
      .map((name) => entryOf(name, upstream)),
  );
}
