// One conversation, whatever the endpoint: the request builders write it in each dialect's form, the
// stream readers add replies to it, and threads keep it.

/** A dialect that can hold a conversation. */
export type ChatDialect = "chat" | "responses" | "messages" | "generate";

/** Bytes that go along with a message, in base64. */
export interface Media {
  mediaType: string;
  data: string;
  name: string;
}

/** What must be sent back to a vendor unchanged, in the dialect that it came in. */
export interface Signature {
  dialect: ChatDialect;
  value: string;
}

/** A function that the model wants called. */
export interface ToolCall {
  id: string;
  name: string;
  /** JSON text as the model wrote it; it may be broken. */
  arguments: string;
  signature?: Signature | undefined;
}

/** One piece of a message. */
export type Part =
  | { type: "text"; text: string }
  | { type: "media"; media: Media }
  | { type: "reasoning"; text: string; signature?: Signature | undefined }
  | { type: "call"; call: ToolCall }
  | { type: "result"; callId: string; name: string; text: string };

/** Tokens as the reply counted them; what it did not say is undefined. */
export interface TokenUsage {
  input?: number | undefined;
  cached?: number | undefined;
  output?: number | undefined;
  reasoning?: number | undefined;
}

/** How a reply ended. */
export type ReplyEnd = "complete" | "stopped" | "cut" | "failed";

/** Why a call brought nothing or broke off. */
export interface CallFailure {
  /** The status of the answer; undefined when there was none, or when it broke after 200. */
  status?: number | undefined;
  message: string;
  type?: string | undefined;
  code?: string | undefined;
  param?: string | undefined;
  /** When the gateway says to try again, in seconds. */
  retryAfter?: number | undefined;
}

/** What was measured and said about one reply. */
export interface ReplyFacts {
  model: string;
  endpoint: string;
  requestId?: string | undefined;
  /** From sending to the first piece of text, in milliseconds. */
  firstTokenMs?: number | undefined;
  /** How long the model reasoned, in milliseconds. */
  reasoningMs?: number | undefined;
  totalMs?: number | undefined;
  usage: TokenUsage;
  finish?: string | undefined;
  end: ReplyEnd;
  failure?: CallFailure | undefined;
}

/** One message of a conversation. */
export interface Turn {
  id: string;
  role: "user" | "assistant";
  parts: Part[];
  /** Only on replies. */
  facts?: ReplyFacts | undefined;
}

/** All text of a message, without reasoning and tool calls. */
export function textOf(turn: Pick<Turn, "parts">): string {
  return turn.parts.map((part) => (part.type === "text" ? part.text : "")).join("");
}

/** The tool calls of a message. */
export function callsOf(turn: Pick<Turn, "parts">): ToolCall[] {
  return turn.parts.flatMap((part) => (part.type === "call" ? [part.call] : []));
}

/** The conversation as it can be sent: replies that brought nothing are left out. */
export function sendable(turns: readonly Turn[]): Turn[] {
  return turns.filter((turn) =>
    turn.parts.some(
      (part) => part.type !== "reasoning" && (part.type !== "text" || part.text !== ""),
    ),
  );
}

/** A short random name for a new thread, turn or column. */
export function newId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(9));
  return btoa(String.fromCharCode(...bytes))
    .replace(/\+/g, "-")
    .replace(/\//g, "_");
}
