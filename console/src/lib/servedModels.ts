// How the interface writes the models of a channel: `name`, or `name=upstream name` where the two differ.

/** The name that clients ask for. */
export function aliasOf(entry: string): string {
  return entry.split("=", 1)[0] ?? entry;
}

/** What the upstream calls it; a channel may keep names in a map beside the list. */
export function upstreamOf(entry: string, mapping: Readonly<Record<string, string>> = {}): string {
  const at = entry.indexOf("=");
  return at >= 0 ? entry.slice(at + 1) : (mapping[entry] ?? entry);
}

export function entryOf(alias: string, upstream: string): string {
  return alias === upstream ? alias : `${alias}=${upstream}`;
}
