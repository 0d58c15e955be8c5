// What the groups are called.

import type { TFunction } from "i18next";

export const GROUP_TEXTS = {
  model: "usage.group.model",
  token: "usage.group.token",
  endpoint: "usage.group.endpoint",
  user: "usage.group.user",
  channel: "usage.group.channel",
} as const;

/** What a group is called; a call may have had none. */
export function nameOf(t: TFunction, key: string, name: string | null): string {
  if (name !== null) {
    return name;
  }
  return key === "0" || key === "" ? t("usage.none") : key;
}
