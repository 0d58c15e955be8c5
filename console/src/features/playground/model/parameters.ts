// The parameters of each endpoint: where one stands in the body, and between which limits. One id means
// the same thing everywhere, so a value outlives a change of the endpoint.

import type { EndpointId } from "./endpoints";
import type { Settings } from "./settings";

export type ParameterId =
  | "maxTokens"
  | "temperature"
  | "topP"
  | "topK"
  | "presencePenalty"
  | "frequencyPenalty"
  | "seed"
  | "effort"
  | "thinkingBudget"
  | "verbosity"
  | "dimensions"
  | "count"
  | "size"
  | "quality"
  | "voice"
  | "speed"
  | "format"
  | "language"
  | "topN";

/** A parameter of one endpoint. */
export interface Parameter {
  id: ParameterId;
  /** Where it stands in the body, from the outside in. */
  path: readonly string[];
  kind: "number" | "integer" | "choice" | "text";
  min?: number;
  max?: number;
  step?: number;
  choices?: readonly string[];
  /** What the field shows before anything is set. */
  initial: number | string;
  /** The endpoint refuses a call without it. */
  required?: boolean;
}

const number = (
  id: ParameterId,
  path: string,
  min: number,
  max: number,
  initial: number,
): Parameter => ({
  id,
  path: path.split("."),
  kind: "number",
  min,
  max,
  step: 0.05,
  initial,
});
const integer = (
  id: ParameterId,
  path: string,
  min: number,
  initial: number,
  max?: number,
): Parameter => ({
  id,
  path: path.split("."),
  kind: "integer",
  min,
  step: 1,
  initial,
  ...(max === undefined ? {} : { max }),
});
const choice = (
  id: ParameterId,
  path: string,
  choices: readonly string[],
  initial: string,
): Parameter => ({
  id,
  path: path.split("."),
  kind: "choice",
  choices,
  initial,
});

const EFFORTS = ["none", "minimal", "low", "medium", "high", "xhigh"];
const SIZES = ["auto", "1024x1024", "1536x1024", "1024x1536", "512x512", "256x256"];
const QUALITIES = ["auto", "low", "medium", "high"];
const SEED_LIMIT = 2 ** 31 - 1;

const PENALTIES = [
  number("presencePenalty", "presence_penalty", -2, 2, 0),
  number("frequencyPenalty", "frequency_penalty", -2, 2, 0),
];

const PARAMETERS: Readonly<Record<EndpointId, readonly Parameter[]>> = {
  chat: [
    integer("maxTokens", "max_completion_tokens", 1, 1024),
    number("temperature", "temperature", 0, 2, 1),
    number("topP", "top_p", 0, 1, 1),
    ...PENALTIES,
    integer("seed", "seed", -SEED_LIMIT, 1, SEED_LIMIT),
    choice("effort", "reasoning_effort", EFFORTS, "medium"),
    choice("verbosity", "verbosity", ["low", "medium", "high"], "medium"),
  ],
  responses: [
    integer("maxTokens", "max_output_tokens", 16, 1024),
    number("temperature", "temperature", 0, 2, 1),
    number("topP", "top_p", 0, 1, 1),
    choice("effort", "reasoning.effort", EFFORTS, "medium"),
    choice("verbosity", "text.verbosity", ["low", "medium", "high"], "medium"),
  ],
  messages: [
    { ...integer("maxTokens", "max_tokens", 1, 1024), required: true },
    number("temperature", "temperature", 0, 1, 1),
    number("topP", "top_p", 0, 1, 1),
    integer("topK", "top_k", 1, 40),
    integer("thinkingBudget", "thinking.budget_tokens", 1024, 1024),
  ],
  generate: [
    integer("maxTokens", "generationConfig.maxOutputTokens", 1, 1024),
    number("temperature", "generationConfig.temperature", 0, 2, 1),
    number("topP", "generationConfig.topP", 0, 1, 0.95),
    integer("topK", "generationConfig.topK", 1, 40),
    number("presencePenalty", "generationConfig.presencePenalty", -2, 2, 0),
    number("frequencyPenalty", "generationConfig.frequencyPenalty", -2, 2, 0),
    integer("seed", "generationConfig.seed", -SEED_LIMIT, 1, SEED_LIMIT),
    integer("thinkingBudget", "generationConfig.thinkingConfig.thinkingBudget", -1, -1),
  ],
  completions: [
    integer("maxTokens", "max_tokens", 1, 256),
    number("temperature", "temperature", 0, 2, 1),
    number("topP", "top_p", 0, 1, 1),
    ...PENALTIES,
    integer("seed", "seed", -SEED_LIMIT, 1, SEED_LIMIT),
  ],
  embeddings: [integer("dimensions", "dimensions", 1, 256)],
  images: [
    integer("count", "n", 1, 1, 10),
    choice("size", "size", SIZES, "1024x1024"),
    choice("quality", "quality", QUALITIES, "auto"),
  ],
  edits: [
    integer("count", "n", 1, 1, 10),
    choice("size", "size", SIZES, "1024x1024"),
    choice("quality", "quality", QUALITIES, "auto"),
  ],
  speech: [
    { id: "voice", path: ["voice"], kind: "text", initial: "alloy", required: true },
    choice("format", "response_format", ["mp3", "wav", "flac", "aac", "opus", "pcm"], "mp3"),
    number("speed", "speed", 0.25, 4, 1),
  ],
  transcription: [
    { id: "language", path: ["language"], kind: "text", initial: "en" },
    choice(
      "format",
      "response_format",
      ["json", "verbose_json", "text", "srt", "vtt"],
      "verbose_json",
    ),
    number("temperature", "temperature", 0, 1, 0),
  ],
  rerank: [integer("topN", "top_n", 1, 3)],
  realtime: [],
};

/** The parameters that an endpoint takes, in the order of the panel. */
export function parametersOf(endpoint: EndpointId): readonly Parameter[] {
  return PARAMETERS[endpoint];
}

/** The value that goes into the body; undefined: it is left out. */
export function sentValue(parameter: Parameter, settings: Settings): number | string | undefined {
  const set = settings.parameters[parameter.id];
  if (parameter.required === true) {
    return fitting(parameter, set?.value) ?? parameter.initial;
  }
  return set?.send === true ? (fitting(parameter, set.value) ?? parameter.initial) : undefined;
}

/** The value if it is of the parameter's kind; a choice of another endpoint's list is not. */
function fitting(
  parameter: Parameter,
  value: number | string | undefined,
): number | string | undefined {
  if (parameter.kind === "choice") {
    return parameter.choices?.includes(String(value)) === true ? value : undefined;
  }
  return typeof value === (parameter.kind === "text" ? "string" : "number") ? value : undefined;
}

/** What is wrong with a value that would be sent. */
export type LimitProblem = { id: ParameterId; min?: number | undefined; max?: number | undefined };

/** Every value that would be sent and that the endpoint would refuse. */
export function limitProblems(settings: Settings): LimitProblem[] {
  return parametersOf(settings.endpoint).flatMap((parameter) => {
    const value = sentValue(parameter, settings);
    if (typeof value !== "number") {
      return [];
    }
    const { id, min, max } = parameter;
    const isOutside = (min !== undefined && value < min) || (max !== undefined && value > max);
    const isBroken = parameter.kind === "integer" && !Number.isInteger(value);
    return isOutside || isBroken ? [{ id, min, max }] : [];
  });
}
