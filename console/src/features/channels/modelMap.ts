// The models of a channel as people edit them: the upstream's name, and the names that clients ask for.

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
    const at = entry.indexOf("=");
    const alias = at >= 0 ? entry.slice(0, at) : entry;
    const upstream = at >= 0 ? entry.slice(at + 1) : (mapping[entry] ?? entry);
    byUpstream.set(upstream, [...(byUpstream.get(upstream) ?? []), alias]);
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
      .map((name) => (name === upstream ? name : `${name}=${upstream}`)),
  );
}

/** The name that clients ask for, of an entry as the interface writes it. */
export function aliasOf(entry: string): string {
  return entry.split("=", 1)[0] ?? entry;
}
