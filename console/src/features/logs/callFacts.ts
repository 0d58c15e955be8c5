// What a call's fields mean: its tone, its price lines in words, the same call as a command.

import type { TFunction } from "i18next";
import { sumUsd } from "@/lib/money";
import { sampleCall } from "@/recipes/sampleCall";
import type { Tone } from "@/ui/StatusBadge";
import type { Attempt, Call } from "./api";

const FIRST_CLIENT_ERROR = 400;
const FIRST_SERVER_ERROR = 500;

/** How a status is taken: the caller's mistake is a warning, the gateway's or upstream's is bad. */
export function statusTone(status: number): Tone {
  if (status >= FIRST_SERVER_ERROR) {
    return "bad";
  }
  return status >= FIRST_CLIENT_ERROR ? "warning" : "good";
}

/** Whether a try brought the reply. */
export function isGood({ status, error }: Pick<Attempt, "status" | "error">): boolean {
  return error === null && (status === null || status < FIRST_CLIENT_ERROR);
}

/** Input tokens of a call, the cached ones too. */
export function inputTokens({ usage }: Pick<Call, "usage">): number {
  return usage.input_tokens + usage.cache_read_tokens + usage.cache_write_tokens;
}

/** Whether the price lines add up to the charge, to the last unit. */
export function addsUp({ price_lines, charge_usd }: Pick<Call, "price_lines" | "charge_usd">) {
  return sumUsd(price_lines.map(({ amount_usd }) => amount_usd)) === sumUsd([charge_usd]);
}

const TOKEN_TEXTS = {
  input: "logs.kind.input",
  cache_read: "logs.kind.cacheRead",
  cache_write_5m: "logs.kind.cacheWrite5m",
  cache_write_1h: "logs.kind.cacheWrite1h",
  audio_input: "logs.kind.audioInput",
  image_input: "logs.kind.imageInput",
  output: "logs.kind.output",
  reasoning: "logs.kind.reasoning",
  audio_output: "logs.kind.audioOutput",
  image_output: "logs.kind.imageOutput",
} as const;

const KIND_TEXTS = {
  ...TOKEN_TEXTS,
  call: "logs.kind.call",
  image: "logs.kind.image",
  second: "logs.kind.second",
  character: "logs.kind.character",
  search_unit: "logs.kind.searchUnit",
  rounding: "logs.kind.rounding",
  not_covered: "logs.kind.notCovered",
} as const;

/** What begins the kind of a hosted tool; its name follows. */
const TOOL = "tool:";

/** Kinds that are counted in tokens are priced by the million; the others by the piece. */
export function isTokenKind(kind: string): boolean {
  return Object.hasOwn(TOKEN_TEXTS, kind);
}

/** A price line's kind in words; one that is not known stays as it is. */
export function kindText(kind: string, t: TFunction): string {
  if (kind.startsWith(TOOL)) {
    return t("logs.kind.tool", { name: kind.slice(TOOL.length) });
  }
  return Object.hasOwn(KIND_TEXTS, kind) ? t(KIND_TEXTS[kind as keyof typeof KIND_TEXTS]) : kind;
}

/** Exact: the point is moved, nothing is calculated. `"0.0000004"` is `"0.4"`. */
export function perMillion(price: string): string {
  const [whole = "0", fraction = ""] = price.split(".");
  const digits = `${whole}${fraction.padEnd(6, "0").slice(0, 6)}`.replace(/^0+(?=\d)/, "");
  const rest = fraction.slice(6).replace(/0+$/, "");
  return rest === "" ? digits : `${digits}.${rest}`;
}

/** Endpoints as the playground's address calls them. */
const PLAYGROUND_ENDPOINTS: Readonly<Record<string, string>> = {
  "/v1/chat/completions": "chat",
  "/v1/responses": "responses",
  "/v1/messages": "messages",
  "/v1beta/models:generateContent": "generate",
  "/v1beta/models:streamGenerateContent": "generate",
  "/v1/completions": "completions",
  "/v1/embeddings": "embeddings",
  "/v1/images/generations": "images",
  "/v1/images/edits": "edits",
  "/v1/audio/speech": "speech",
  "/v1/audio/transcriptions": "transcription",
  "/v1/rerank": "rerank",
  "/v1/realtime": "realtime",
};

/** The playground's search for the same endpoint and model. */
export function replaySearch({ endpoint, model }: Pick<Call, "endpoint" | "model">) {
  const id = PLAYGROUND_ENDPOINTS[endpoint];
  return { model, ...(id === undefined ? {} : { endpoint: id }) };
}

/** The same endpoint and model as a command. The body is not kept: a short question, or a file. */
export function curlOf({ endpoint, model }: Pick<Call, "endpoint" | "model">, base: string) {
  const sample = sampleCall(endpoint, model);
  const headers = {
    authorization: "Bearer $MODELGATE_API_KEY",
    ...(sample?.headers ?? { "content-type": "application/json" }),
  };
  const body = sample === undefined ? "@body.json" : shellText(sample.body);
  return [
    `curl ${shellText(`${base}${sample?.path ?? endpoint}`)}`,
    // Double quotes, so that the shell fills the variable in.
    ...Object.entries(headers).map(([name, value]) => `  -H "${name}: ${value}"`),
    `  -d ${body}`,
  ].join(" \\\n");
}

/** In single quotes, whatever is in it. */
function shellText(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
