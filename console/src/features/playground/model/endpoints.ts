// The endpoints that the playground can call, and what each needs to know about itself.

import type { ChatDialect } from "./conversation";

export const ENDPOINT_IDS = [
  "chat",
  "responses",
  "messages",
  "generate",
  "completions",
  "embeddings",
  "images",
  "edits",
  "speech",
  "transcription",
  "rerank",
  "realtime",
] as const;

export type EndpointId = (typeof ENDPOINT_IDS)[number];

/** What the page shows for an endpoint: a conversation, or a form with results of one kind. */
export type Surface =
  | "chat"
  | "embedding"
  | "image"
  | "audio"
  | "transcript"
  | "ranking"
  | "realtime";

export interface Endpoint {
  id: EndpointId;
  surface: Surface;
  /** The operation that a model must offer, by the names of the management interface. */
  operation: string;
  canStream: boolean;
  /** The path; only generate content has the model in it. */
  path: (model: string, stream: boolean) => string;
}

const fixed = (path: string) => () => path;

const ENDPOINTS: Readonly<Record<EndpointId, Endpoint>> = {
  chat: {
    id: "chat",
    surface: "chat",
    operation: "generate",
    canStream: true,
    path: fixed("/v1/chat/completions"),
  },
  responses: {
    id: "responses",
    surface: "chat",
    operation: "generate",
    canStream: true,
    path: fixed("/v1/responses"),
  },
  messages: {
    id: "messages",
    surface: "chat",
    operation: "generate",
    canStream: true,
    path: fixed("/v1/messages"),
  },
  generate: {
    id: "generate",
    surface: "chat",
    operation: "generate",
    canStream: true,
    path: (model, stream) => {
      const verb = stream ? "streamGenerateContent?alt=sse" : "generateContent";
      return `/v1beta/models/${encodeURIComponent(model)}:${verb}`;
    },
  },
  completions: {
    id: "completions",
    surface: "chat",
    operation: "generate",
    canStream: true,
    path: fixed("/v1/completions"),
  },
  embeddings: {
    id: "embeddings",
    surface: "embedding",
    operation: "embed",
    canStream: false,
    path: fixed("/v1/embeddings"),
  },
  images: {
    id: "images",
    surface: "image",
    operation: "generate_image",
    canStream: false,
    path: fixed("/v1/images/generations"),
  },
  edits: {
    id: "edits",
    surface: "image",
    operation: "edit_image",
    canStream: false,
    path: fixed("/v1/images/edits"),
  },
  speech: {
    id: "speech",
    surface: "audio",
    operation: "speak",
    canStream: false,
    path: fixed("/v1/audio/speech"),
  },
  transcription: {
    id: "transcription",
    surface: "transcript",
    operation: "transcribe",
    canStream: false,
    path: fixed("/v1/audio/transcriptions"),
  },
  rerank: {
    id: "rerank",
    surface: "ranking",
    operation: "rerank",
    canStream: false,
    path: fixed("/v1/rerank"),
  },
  realtime: {
    id: "realtime",
    surface: "realtime",
    operation: "realtime",
    canStream: false,
    path: fixed("/v1/realtime"),
  },
};

export function endpoint(id: EndpointId): Endpoint {
  return ENDPOINTS[id];
}

/** The dialect of an endpoint that holds a conversation. */
export function chatDialect(id: EndpointId): ChatDialect | undefined {
  return id === "chat" || id === "responses" || id === "messages" || id === "generate"
    ? id
    : undefined;
}
