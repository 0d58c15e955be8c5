// A realtime session as the page's state: its events, what was said, how it ended.

import { useEffect, useRef, useState } from "react";
import type { CallFailure } from "../model/conversation";
import type { PreparedRequest } from "../request/prepare";
import { refusedRealtime, tokensFor } from "../send/api";
import { pcmOf, wavOf } from "../send/pcm";
import { type RealtimeEvent, RealtimeSession } from "../send/realtime";
import { fields, text } from "../stream/fields";

/** Old events make room for new ones. */
const KEPT_EVENTS = 500;
/** One event may hold 15 MiB; small pieces let the gateway keep up. */
const PIECE_BYTES = 48_000;

interface RealtimeState {
  status: "idle" | "connecting" | "open" | "closed";
  events: RealtimeEvent[];
  /** What the model says or said last. */
  reply: string;
  sound?: Blob | undefined;
  close?: { code: number; reason: string } | undefined;
  failure?: CallFailure | undefined;
  requestId?: string | undefined;
}

/** What a session is opened with. */
type RealtimeRequest = Pick<PreparedRequest, "model" | "channel">;

export interface Realtime extends RealtimeState {
  connect: (request: RealtimeRequest, modality: "text" | "audio") => Promise<void>;
  say: (message: string) => void;
  speak: (recording: Blob) => Promise<void>;
  disconnect: () => void;
}

const IDLE: RealtimeState = { status: "idle", events: [], reply: "" };

export function useRealtime(): Realtime {
  const [state, setState] = useState(IDLE);
  const session = useRef<RealtimeSession>(undefined);
  const startedAt = useRef(0);
  const sounds = useRef<string[]>([]);
  useEffect(() => () => session.current?.close(), []);
  const change = (patch: Partial<RealtimeState>) => setState((before) => ({ ...before, ...patch }));

  const take = (direction: RealtimeEvent["direction"], data: unknown) => {
    const type = text(fields(data).type);
    const atMs = performance.now() - startedAt.current;
    if (type === "response.output_audio.delta") {
      sounds.current.push(text(fields(data).delta));
    }
    setState((before) => {
      const id = (before.events.at(-1)?.id ?? 0) + 1;
      const events = [...before.events, { id, direction, atMs, type, data }].slice(-KEPT_EVENTS);
      return { ...before, events, ...said(before, type, data, sounds.current) };
    });
  };

  const connect = async ({ model, channel }: RealtimeRequest, modality: "text" | "audio") => {
    setState({ ...IDLE, status: "connecting" });
    startedAt.current = performance.now();
    const since = new Date();
    const token = await tokensFor(channel).token();
    const made = new RealtimeSession(window.location.origin, model, token, {
      opened: () => {
        change({ status: "open" });
        made.send({
          type: "session.update",
          session: { type: "realtime", output_modalities: [modality] },
        });
      },
      event: take,
      closed: (code, reason, wasOpen) => {
        session.current = undefined;
        change({ status: "closed", close: { code, reason } });
        if (!wasOpen) {
          // A browser hides why a socket was refused; the log knows.
          void refusedRealtime(model, since).then((found) => change(found));
        }
      },
    });
    session.current = made;
  };

  return {
    ...state,
    connect,
    say: (message) => {
      const content = [{ type: "input_text", text: message }];
      session.current?.send({
        type: "conversation.item.create",
        item: { type: "message", role: "user", content },
      });
      session.current?.send({ type: "response.create" });
    },
    speak: async (recording) => {
      const samples = await pcmOf(recording);
      for (let from = 0; from < samples.length; from += PIECE_BYTES) {
        const audio = btoa(String.fromCharCode(...samples.subarray(from, from + PIECE_BYTES)));
        session.current?.send({ type: "input_audio_buffer.append", audio });
      }
      session.current?.send({ type: "input_audio_buffer.commit" });
      session.current?.send({ type: "response.create" });
    },
    disconnect: () => session.current?.close(),
  };
}

/** What an event adds to what was said. */
function said(
  before: RealtimeState,
  type: string,
  data: unknown,
  sounds: string[],
): Partial<RealtimeState> {
  switch (type) {
    case "response.created":
      sounds.length = 0;
      return { reply: "", sound: undefined };
    case "response.output_text.delta":
    case "response.output_audio_transcript.delta":
      return { reply: before.reply + text(fields(data).delta) };
    case "response.done":
      return sounds.length === 0 ? {} : { sound: wavOf(sounds) };
    case "error": {
      const { message, type: kind, code, param } = fields(fields(data).error);
      return {
        failure: { message: text(message), type: text(kind), code: text(code), param: text(param) },
      };
    }
    default:
      return {};
  }
}
