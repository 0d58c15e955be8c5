// The form of a group as values, and back as a request: an empty limit is none.

import type { UserGroup } from "./api";

export const LIMITS = ["rpm", "tpm", "concurrency"] as const;

export interface GroupValues extends Record<string, unknown> {
  name: string;
  description: string;
  multiplier: string;
  rpm: string;
  tpm: string;
  concurrency: string;
  is_selectable: boolean;
  allows_hosted_tools: boolean;
}

export function valuesOf(group: UserGroup | undefined): GroupValues {
  return {
    name: group?.name ?? "",
    description: group?.description ?? "",
    multiplier: group?.multiplier ?? "1",
    rpm: String(group?.rpm ?? ""),
    tpm: String(group?.tpm ?? ""),
    concurrency: String(group?.concurrency ?? ""),
    is_selectable: group?.is_selectable ?? false,
    allows_hosted_tools: group?.allows_hosted_tools ?? false,
  };
}

export function isMultiplier(text: string): boolean {
  return /^\d{1,6}(\.\d{1,9})?$/.test(text.trim());
}

export function isLimit(text: string): boolean {
  return text.trim() === "" || /^[1-9]\d{0,14}$/.test(text.trim());
}

export function requestOf(values: GroupValues) {
  const limit = (text: string) => (text.trim() === "" ? null : Number(text.trim()));
  return {
    description: values.description,
    multiplier: values.multiplier.trim(),
    rpm: limit(values.rpm),
    tpm: limit(values.tpm),
    concurrency: limit(values.concurrency),
    is_selectable: values.is_selectable,
    allows_hosted_tools: values.allows_hosted_tools,
  };
}
