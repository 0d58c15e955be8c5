// A saved conversation. Threads stay in this browser; what comes back from its database or from a file is
// checked before it is trusted.

import { z } from "zod";
import { newId, type Turn, textOf } from "../model/conversation";
import { readSettings, type Settings } from "../model/settings";

const dialect = z.enum(["chat", "responses", "messages", "generate"]);
const signature = z.object({ dialect, value: z.string() });
const media = z.object({ mediaType: z.string(), data: z.string(), name: z.string() });
const call = z.object({
  id: z.string(),
  name: z.string(),
  arguments: z.string(),
  signature: signature.optional(),
});
const part = z.discriminatedUnion("type", [
  z.object({ type: z.literal("text"), text: z.string() }),
  z.object({ type: z.literal("media"), media }),
  z.object({ type: z.literal("reasoning"), text: z.string(), signature: signature.optional() }),
  z.object({ type: z.literal("call"), call }),
  z.object({ type: z.literal("result"), callId: z.string(), name: z.string(), text: z.string() }),
]);
const failure = z.object({
  status: z.number().optional(),
  message: z.string(),
  type: z.string().optional(),
  code: z.string().optional(),
  param: z.string().optional(),
  retryAfter: z.number().optional(),
});
const facts = z.object({
  model: z.string(),
  endpoint: z.string(),
  requestId: z.string().optional(),
  firstTokenMs: z.number().optional(),
  reasoningMs: z.number().optional(),
  totalMs: z.number().optional(),
  usage: z.object({
    input: z.number().optional(),
    cached: z.number().optional(),
    output: z.number().optional(),
    reasoning: z.number().optional(),
  }),
  finish: z.string().optional(),
  end: z.enum(["complete", "stopped", "cut", "failed"]),
  failure: failure.optional(),
});
const turn = z.object({
  id: z.string(),
  role: z.enum(["user", "assistant"]),
  parts: z.array(part),
  facts: facts.optional(),
});
const threadSchema = z.object({
  id: z.string().min(1),
  title: z.string(),
  pinned: z.boolean(),
  createdAt: z.number(),
  updatedAt: z.number(),
  settings: z.record(z.string(), z.unknown()).transform(readSettings),
  turns: z.array(turn),
});

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

/** The thread if it is one. */
export function readThread(value: unknown): Thread | undefined {
  const read = threadSchema.safeParse(value);
  return read.success ? read.data : undefined;
}

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
