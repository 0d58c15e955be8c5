// How the interface writes the models of a channel: `name`, or `name=upstream name` where the two differ. A name with
// one `*` at its end is a pattern, which stands for every name that begins so.

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

/** What the names begin with that a pattern stands for; undefined for a plain name. */
function beginningOf(name: string): string | undefined {
  const at = name.indexOf("*");
  return at >= 0 && at === name.length - 1 ? name.slice(0, at) : undefined;
}

export function isPattern(name: string): boolean {
  return beginningOf(name) !== undefined;
}

/** Whether a name of a list is this one, or a pattern that stands for it. */
export function covers(listed: string, name: string): boolean {
  const beginning = beginningOf(listed);
  return listed === name || (beginning !== undefined && name.startsWith(beginning));
}

/** The entry that a model is served by: its own, else the longest pattern. */
export function entryFor(entries: readonly string[], model: string): string | undefined {
  return entries
    .filter((entry) => covers(aliasOf(entry), model))
    .sort((left, right) => rankOf(right, model) - rankOf(left, model))[0];
}

function rankOf(entry: string, model: string): number {
  const alias = aliasOf(entry);
  return alias === model ? Number.POSITIVE_INFINITY : alias.length;
}

/** What the upstream calls a model that is served by an entry: what the star stood for is carried over. */
export function upstreamFor(
  entry: string,
  model: string,
  mapping: Readonly<Record<string, string>> = {},
): string {
  const upstream = upstreamOf(entry, mapping);
  const [asked, sent] = [beginningOf(aliasOf(entry)), beginningOf(upstream)];
  return asked === undefined || sent === undefined ? upstream : sent + model.slice(asked.length);
}
