// The shape of stored threads. What comes back from the browser's database or from a file is checked
// before it is trusted. A chunk of its own: the page is there before the first thread is read.

import { z } from "zod";
import { readSettings } from "../model/settings";
import type { Thread } from "./thread";

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

/** The thread if it is one. */
export function readThread(value: unknown): Thread | undefined {
  const read = threadSchema.safeParse(value);
  return read.success ? read.data : undefined;
}

const fileSchema = z.object({
  format: z.literal("modelgate-threads"),
  version: z.literal(1),
  threads: z.array(z.unknown()),
});

/** The threads of an exported file and how many in it were broken; undefined when it is no such file. */
export function readFile(value: unknown): { threads: Thread[]; broken: number } | undefined {
  const file = fileSchema.safeParse(value);
  if (!file.success) {
    return undefined;
  }
  const read = file.data.threads.map(readThread);
  const threads = read.flatMap((thread) => (thread === undefined ? [] : [thread]));
  return { threads, broken: read.length - threads.length };
}
