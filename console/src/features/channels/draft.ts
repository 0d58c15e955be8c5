// What the forms of a channel hold, and what of it is sent. Shared by the new and the stored channel.

import type { Channel, NewChannel } from "./api";
import { readModels, type ServedModel, writeModels } from "./modelMap";
import { type OverrideFields, readOverrides, writeOverrides } from "./overrides";

/** A number field of Mantine: empty is no number. */
type NumberField = number | string;

export interface Draft extends Record<string, unknown> {
  name: string;
  base_url: string;
  models: ServedModel[];
  groups: string[];
  tags: string[];
  priority: NumberField;
  weight: NumberField;
  proxy: string;
  dialects: string[];
  rpm: NumberField;
  tpm: NumberField;
  concurrency: NumberField;
  connect_ms: NumberField;
  first_byte_ms: NumberField;
  idle_ms: NumberField;
  overrides: OverrideFields;
}

export function emptyDraft(): Draft {
  return {
    name: "",
    base_url: "",
    models: [],
    groups: [],
    tags: [],
    priority: 0,
    weight: 1,
    proxy: "",
    dialects: [],
    rpm: "",
    tpm: "",
    concurrency: "",
    connect_ms: "",
    first_byte_ms: "",
    idle_ms: "",
    overrides: readOverrides(null),
  };
}

export function draftOf(channel: Channel): Draft {
  const { limits, timeouts } = channel;
  return {
    name: channel.name,
    base_url: channel.base_url,
    models: readModels(channel.models, channel.model_mapping),
    groups: channel.groups,
    tags: channel.tags,
    priority: channel.priority,
    weight: channel.weight,
    proxy: channel.proxy ?? "",
    dialects: channel.dialects ?? [],
    rpm: limits.rpm ?? "",
    tpm: limits.tpm ?? "",
    concurrency: limits.concurrency ?? "",
    connect_ms: timeouts.connect_ms ?? "",
    first_byte_ms: timeouts.first_byte_ms ?? "",
    idle_ms: timeouts.idle_ms ?? "",
    overrides: readOverrides(channel.overrides),
  };
}

/** The settings that both a new channel and a change send; `before` are the stored overrides. */
export function settingsOf(draft: Draft, before: unknown = null) {
  return {
    name: draft.name.trim(),
    base_url: draft.base_url.trim(),
    models: writeModels(draft.models),
    groups: draft.groups,
    tags: draft.tags,
    priority: numberOf(draft.priority) ?? 0,
    weight: numberOf(draft.weight) ?? 1,
    proxy: draft.proxy.trim() === "" ? null : draft.proxy.trim(),
    dialects: draft.dialects.length === 0 ? null : draft.dialects,
    limits: {
      rpm: numberOf(draft.rpm),
      tpm: numberOf(draft.tpm),
      concurrency: numberOf(draft.concurrency),
    },
    timeouts: {
      connect_ms: numberOf(draft.connect_ms),
      first_byte_ms: numberOf(draft.first_byte_ms),
      idle_ms: numberOf(draft.idle_ms),
    },
    overrides: writeOverrides(draft.overrides, before) as NonNullable<NewChannel["overrides"]>,
  };
}

function numberOf(field: NumberField): number | null {
  return typeof field === "number" ? field : null;
}
