// Which channels could serve a model too: those that ask their upstream for the same model under another
// name, then those of the same provider.

import { covers, entryFor, entryOf, upstreamFor, upstreamOf } from "@/lib/servedModels";

export interface Listed {
  id: number;
  name: string;
  type: string;
  state: string;
  is_declared: boolean;
  groups: readonly string[];
  models: readonly string[];
  model_mapping: Readonly<Record<string, string>>;
}

export interface Fallback {
  channel: Listed;
  /** What its list of models would get. */
  entry: string;
}

/** Channels that take calls of the group, can be changed here and do not serve the model yet. */
export function fallbacksOf(model: string, group: string, channels: readonly Listed[]): Fallback[] {
  const lists = (channel: Listed) => entryFor(channel.models, model) !== undefined;
  const known = new Map<string, string>();
  for (const { type, models, model_mapping } of channels) {
    const entry = entryFor(models, model);
    if (entry !== undefined) {
      known.set(type, upstreamFor(entry, model, model_mapping));
    }
  }
  const wanted = [model, ...known.values()];
  const free = channels.filter(
    (channel) =>
      channel.state === "on" &&
      !channel.is_declared &&
      !lists(channel) &&
      (channel.groups.length === 0 || channel.groups.includes(group)),
  );
  const offers = free.map((channel) => {
    const upstreams = channel.models.map((entry) => upstreamOf(entry, channel.model_mapping));
    const same = wanted.find((name) => upstreams.some((upstream) => covers(upstream, name)));
    return { channel, isSame: same !== undefined, upstream: same ?? known.get(channel.type) };
  });
  return offers
    .sort((left, right) => Number(right.isSame) - Number(left.isSame))
    .flatMap(({ channel, upstream }) =>
      upstream === undefined ? [] : [{ channel, entry: entryOf(model, upstream) }],
    );
}
