// A conversation with one model: what was said, the reply that is growing, and everything a person can do
// to either. The page and each column of the comparison have one.

import { useCallback, useEffect, useRef, useState } from "react";
import { newId, type Part, type Turn } from "../model/conversation";
import type { Settings } from "../model/settings";
import { conversationInput, type PreparedRequest, prepare } from "../request/prepare";
import { tokensFor } from "../send/api";
import { type ExchangeResult, exchange } from "../send/exchange";
import { LiveReply } from "../send/live";
import type { RawEvents } from "../send/rawEvents";
import { replyTurn } from "../send/reply";

export interface Conversation {
  turns: Turn[];
  /** The reply that is growing. */
  live: LiveReply | undefined;
  /** The raw events of replies of this visit, by the id of the reply. */
  rawEvents: ReadonlyMap<string, RawEvents>;
  /** Adds a message and asks for the reply; resolves when it is there. */
  send: (parts: Part[], settings: Settings) => Promise<void>;
  /** Asks again from the message with this id on; a reply is replaced, a user's message answered. */
  resend: (id: string, settings: Settings, parts?: Part[]) => Promise<void>;
  remove: (id: string, settings: Settings) => void;
  stop: () => void;
  /** Shows another conversation. */
  replace: (turns: Turn[]) => void;
}

/** `onChange` is told of every settled state: after a message was added, and when its reply has ended. */
export function useConversation(
  onChange: (turns: Turn[], settings: Settings) => void,
): Conversation {
  const [turns, setTurns] = useState<Turn[]>([]);
  const [live, setLive] = useState<LiveReply>();
  const rawEvents = useRef(new Map<string, RawEvents>());
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);

  const run = useCallback(
    async (before: Turn[], settings: Settings) => {
      running.current?.abort();
      const controller = new AbortController();
      running.current = controller;
      const growing = new LiveReply();
      setTurns(before);
      setLive(growing);
      onChange(before, settings);
      const request = prepare(settings, conversationInput(before));
      const result = await exchangeWithToken(request, controller.signal, growing);
      if (running.current !== controller) {
        // Another conversation took its place.
        return;
      }
      running.current = undefined;
      const turn = replyTurn(request, result);
      const { raw, dropped } = growing.snapshot();
      rawEvents.current.set(turn.id, { events: raw, dropped });
      const after = [...before, turn];
      setTurns(after);
      setLive(undefined);
      onChange(after, settings);
    },
    [onChange],
  );

  return {
    turns,
    live,
    rawEvents: rawEvents.current,
    send: (parts, settings) => run([...turns, { id: newId(), role: "user", parts }], settings),
    resend: (id, settings, parts) => {
      const at = turns.findIndex((turn) => turn.id === id);
      const from = turns[at];
      if (from === undefined) {
        return Promise.resolve();
      }
      const kept = turns.slice(0, at);
      return run(
        from.role === "user" ? [...kept, { ...from, parts: parts ?? from.parts }] : kept,
        settings,
      );
    },
    remove: (id, settings) => {
      const rest = turns.filter((turn) => turn.id !== id);
      setTurns(rest);
      onChange(rest, settings);
    },
    stop: () => running.current?.abort(),
    replace: (next) => {
      running.current?.abort();
      running.current = undefined;
      setLive(undefined);
      setTurns(next);
    },
  };
}

/** A token may have ended on the server before its time: then once more with a new one. */
async function exchangeWithToken(
  request: PreparedRequest,
  signal: AbortSignal,
  live: LiveReply,
): Promise<ExchangeResult> {
  const tokens = tokensFor(request.channel);
  const attempt = async () =>
    exchange(request, await tokens.token(), signal, {
      raw: (event) => live.addRaw(event),
      grew: (fold) => live.grew(() => fold.snapshot()),
    });
  try {
    const first = await attempt();
    if (first.failure?.status !== 401) {
      live.publish();
      return first;
    }
    tokens.forget();
    return await attempt();
  } catch (cause) {
    // Only asking for the token rejects; its failure is told like the call's own.
    const message = cause instanceof Error ? cause.message : "";
    return { parts: [], usage: {}, end: "failed", totalMs: 0, failure: { message } };
  }
}
