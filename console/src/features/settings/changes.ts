// What was changed on the settings pages and not saved yet: values by key, `null` for "as by default".

import { RequestFailure } from "@/api/failure";
import type { Setting } from "./api";

export type Changes = Readonly<Record<string, unknown>>;

/** The changes with one more; one that says what is in effect already is none. */
export function withChange(changes: Changes, setting: Setting, value: unknown): Changes {
  const { [setting.key]: _, ...rest } = changes;
  const isSame = setting.secret ? value === "" : same(value, setting.value);
  return isSame ? rest : { ...rest, [setting.key]: value };
}

function same(left: unknown, right: unknown): boolean {
  return JSON.stringify(left ?? null) === JSON.stringify(right ?? null);
}

/** Settings whose key, meaning, variable or value has every word that is sought. */
export function searchSettings(settings: readonly Setting[], sought: string): Setting[] {
  const words = sought.toLowerCase().split(/\s+/).filter(Boolean);
  return settings.filter((setting) => {
    const value = setting.secret ? "" : JSON.stringify(setting.value ?? "");
    const text = [setting.key, setting.about, setting.environment ?? "", value]
      .join(" ")
      .toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

/** The setting that a refusal names first (`login.failures: must be …`), and what it says. */
export function refusedSetting(error: unknown): { key: string; text: string } | undefined {
  const detail = error instanceof RequestFailure ? error.context.detail : undefined;
  const match = /^([a-z][a-z0-9_]*(?:\.[a-z0-9_]+)+): (.*)$/s.exec(detail ?? "");
  return match === null ? undefined : { key: match[1] ?? "", text: match[2] ?? "" };
}
