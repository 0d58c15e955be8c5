// What a reply brings, whatever the dialect: the readers turn each wire event into these.

import type { CallFailure, Media, Signature, TokenUsage } from "../model/conversation";

export type ReplyEvent =
  | { type: "text"; text: string }
  | { type: "reasoning"; text: string }
  | { type: "reasoningSignature"; signature: Signature }
  | { type: "call"; key: string; id: string; name: string; signature?: Signature | undefined }
  | { type: "arguments"; key: string; text: string }
  | { type: "media"; media: Media }
  | { type: "usage"; usage: TokenUsage }
  /** The reply's own mark of its end: without it the stream was cut. */
  | { type: "finish"; reason: string }
  | { type: "failure"; failure: CallFailure };

/** Reads a dialect's replies: piece by piece, or whole. */
export interface ReplyReader {
  /** The events of one message of a stream, already parsed. */
  event: (data: unknown) => ReplyEvent[];
  /** The events of a reply that came whole. */
  whole: (body: unknown) => ReplyEvent[];
}
