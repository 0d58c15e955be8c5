// A reply as it grows: events in, the parts of a message out. It also notes when things came, because
// only the browser knows when a person could see them.

import type { CallFailure, Part, TokenUsage } from "../model/conversation";
import type { ReplyEvent } from "./events";

/** What has arrived so far. */
export interface GrowingReply {
  parts: Part[];
  usage: TokenUsage;
  finish?: string | undefined;
  failure?: CallFailure | undefined;
  /** When the first text, reasoning or call came, in milliseconds after sending. */
  firstTokenMs?: number | undefined;
  /** When the reasoning began and when something else followed it. */
  reasoningFromMs?: number | undefined;
  reasoningToMs?: number | undefined;
}

export class ReplyFold {
  readonly #parts: Part[] = [];
  readonly #calls = new Map<string, number>();
  #reply: Omit<GrowingReply, "parts"> = { usage: {} };

  /** Adds one event that came this many milliseconds after sending. */
  add(event: ReplyEvent, atMs: number): void {
    switch (event.type) {
      case "usage":
        this.#reply.usage = joined(this.#reply.usage, event.usage);
        return;
      case "finish":
        this.#reply.finish = event.reason;
        return;
      case "failure":
        this.#reply.failure = event.failure;
        return;
      case "reasoningSignature":
        this.#sign(event);
        return;
      default:
        this.#addContent(event, atMs);
    }
  }

  /** What there is now; parts that did not change keep their identity. */
  snapshot(): GrowingReply {
    return { ...this.#reply, parts: [...this.#parts] };
  }

  #addContent(
    event: Exclude<ReplyEvent, { type: "usage" | "finish" | "failure" | "reasoningSignature" }>,
    atMs: number,
  ): void {
    this.#reply.firstTokenMs ??= atMs;
    if (event.type === "reasoning") {
      this.#reply.reasoningFromMs ??= atMs;
    } else if (this.#reply.reasoningFromMs !== undefined) {
      this.#reply.reasoningToMs ??= atMs;
    }
    switch (event.type) {
      case "text":
      case "reasoning":
        this.#grow(event.type, event.text);
        break;
      case "call": {
        const { id, name, signature } = event;
        this.#calls.set(event.key, this.#parts.length);
        this.#parts.push({ type: "call", call: { id, name, arguments: "", signature } });
        break;
      }
      case "arguments":
        this.#growCall(event.key, event.text);
        break;
      case "media":
        this.#parts.push({ type: "media", media: event.media });
        break;
    }
  }

  #grow(type: "text" | "reasoning", text: string): void {
    const last = this.#parts.at(-1);
    if (last?.type === type) {
      this.#parts[this.#parts.length - 1] = { ...last, text: last.text + text };
    } else if (text !== "") {
      this.#parts.push({ type, text });
    }
  }

  #growCall(key: string, text: string): void {
    const place = this.#calls.get(key);
    const part = place === undefined ? undefined : this.#parts[place];
    if (place !== undefined && part?.type === "call") {
      const call = { ...part.call, arguments: part.call.arguments + text };
      this.#parts[place] = { type: "call", call };
    }
  }

  #sign({ signature }: Extract<ReplyEvent, { type: "reasoningSignature" }>): void {
    const last = this.#parts.at(-1);
    if (last?.type === "reasoning") {
      this.#parts[this.#parts.length - 1] = { ...last, signature };
    } else {
      // Reasoning that is not shown still has to go back with its signature.
      this.#parts.push({ type: "reasoning", text: "", signature });
    }
  }
}

/** Later counts replace earlier ones, what they leave out stays. */
function joined(before: TokenUsage, after: TokenUsage): TokenUsage {
  const told = Object.entries(after).filter(([, value]) => value !== undefined);
  return { ...before, ...Object.fromEntries(told) };
}
