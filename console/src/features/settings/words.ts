// The gateway explains its settings in English; here in the reader's language, where there is a translation.
// It is found by the English sentence: one that the gateway has changed since is shown as it is.

import { queryOptions } from "@tanstack/react-query";
import type { Setting } from "./api";

type Words = Readonly<Record<string, string>>;

export function wordsQuery(language: string) {
  return queryOptions({
    queryKey: ["settings", "words", language],
    queryFn: async (): Promise<Words> =>
      language === "zh-CN" ? (await import("./words.zh-CN.json")).default : {},
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** The settings with what is said about them in these words. */
export function inWords(settings: readonly Setting[], words: Words = {}): Setting[] {
  const said = (english: string) => words[english] ?? setElsewhere(english, words) ?? english;
  return settings.map((setting) => ({
    ...setting,
    about: said(setting.about),
    locked_because: setting.locked_because && said(setting.locked_because),
  }));
}

/** `The flag --listen sets it.`, in which the name differs. */
function setElsewhere(english: string, words: Words): string | undefined {
  const [, what = "", name = ""] = /^The (.+) (\S+) sets it\.$/.exec(english) ?? [];
  return words[`The ${what} {name} sets it.`]?.replace("{name}", name);
}
