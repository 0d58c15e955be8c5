// Calls as they end, over the server's event stream. The browser reconnects by itself; what it missed
// meanwhile is for the caller to read from the list, whenever the stream opens or skips.

import type { Schema } from "./management";

export type Call = Schema<"Call">;

/** A call under way on the node that answers. */
export interface RunningCall {
  request_id: string;
  began_at: string;
  user_id: number;
  username: string | null;
  token_id: number;
  token_name: string | null;
  endpoint: string;
  model: string;
  channel: string | null;
  channel_id: number | null;
  stream: boolean;
  /** Tries that have ended. */
  tries: number;
  /** Whether the client has the beginning of an answer. */
  is_answering: boolean;
}

/** The oldest calls under way, and how many more there are. */
export interface RunningCalls {
  calls: readonly RunningCall[];
  more: number;
}

export interface CallStreamListener {
  onCall: (call: Call) => void;
  /** What is under way has changed: this is all of it. */
  onRunning?: (running: RunningCalls) => void;
  /** The stream is open: the first time, and after every interruption. */
  onOpen?: () => void;
  /** There were more calls than fit into one look. */
  onSkipped?: () => void;
  /** The stream broke; `isOver` where the browser will not try again. */
  onBreak?: (isOver: boolean) => void;
}

/** Listens until the returned function is called. */
export function listenToCalls(
  filter: Readonly<Record<string, string>>,
  listener: CallStreamListener,
): () => void {
  const source = new EventSource(`/api/log/stream?${new URLSearchParams(filter)}`);
  source.addEventListener("open", () => listener.onOpen?.());
  source.addEventListener("call", ({ data }: MessageEvent<string>) =>
    listener.onCall(JSON.parse(data)),
  );
  source.addEventListener("running", ({ data }: MessageEvent<string>) =>
    listener.onRunning?.(JSON.parse(data)),
  );
  source.addEventListener("skipped", () => listener.onSkipped?.());
  source.addEventListener("error", () =>
    listener.onBreak?.(source.readyState === EventSource.CLOSED),
  );
  return () => source.close();
}
