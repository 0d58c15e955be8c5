// A saved conversation, and how it stands in the list. Threads stay in this browser.

import { newId, type Turn, textOf } from "../model/conversation";
import type { Settings } from "../model/settings";

export interface Thread {
  id: string;
  title: string;
  pinned: boolean;
  createdAt: number;
  updatedAt: number;
  settings: Settings;
  turns: Turn[];
}

/** What the list shows and searches. */
export interface ThreadSummary {
  id: string;
  title: string;
  pinned: boolean;
  updatedAt: number;
  model: string;
  /** The beginning of everything that was said, in lower case. */
  words: string;
}

const TITLE_CHARACTERS = 60;
const SEARCHED_CHARACTERS = 4_000;

export function newThread(settings: Settings, turns: Turn[], now = Date.now()): Thread {
  const first = turns.find((each) => each.role === "user");
  const title = first === undefined ? "" : titleFrom(textOf(first));
  return { id: newId(), title, pinned: false, createdAt: now, updatedAt: now, settings, turns };
}

/** A title from the first words of a message. */
export function titleFrom(text: string): string {
  const line = text.trim().replace(/\s+/g, " ");
  const letters = [...line];
  return letters.length <= TITLE_CHARACTERS
    ? line
    : `${letters.slice(0, TITLE_CHARACTERS).join("")}…`;
}

export function summaryOf({
  id,
  title,
  pinned,
  updatedAt,
  settings,
  turns,
}: Thread): ThreadSummary {
  const words = [title, ...turns.map(textOf)]
    .join("\n")
    .slice(0, SEARCHED_CHARACTERS)
    .toLowerCase();
  return { id, title, pinned, updatedAt, model: settings.model, words };
}

/** Pinned ones first, then the latest; only those that hold every word of the search. */
export function listed(summaries: readonly ThreadSummary[], search: string): ThreadSummary[] {
  const wanted = search.toLowerCase().split(/\s+/).filter(Boolean);
  return summaries
    .filter(({ words }) => wanted.every((word) => words.includes(word)))
    .sort((a, b) => Number(b.pinned) - Number(a.pinned) || b.updatedAt - a.updatedAt);
}
