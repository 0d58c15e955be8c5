// The models to choose from: which fit an endpoint, what they can do, what a call may cost.

import { nanosOf, usdOf } from "@/lib/money";
import type { Turn } from "./conversation";
import { type EndpointId, endpoint } from "./endpoints";

export interface Capabilities {
  vision: boolean;
  audio: boolean;
  documents: boolean;
  reasoning: boolean;
  structured_output: boolean;
  sampling: boolean;
  max_output: number | null;
}

export interface ModelInfo {
  name: string;
  vendor: string;
  operations: readonly string[];
  /** Null where it generates no text. */
  capabilities: Capabilities | null;
  /** Dollars by unit (a million tokens, an image …); null: it has no price and is refused. */
  prices: Readonly<Record<string, string>> | null;
  multiplier: string;
  /** Whether the public list of models names it to this user. */
  isAllowed: boolean;
}

/** Why a model in the list cannot be called. */
export function blockOf({ prices, isAllowed }: ModelInfo): "price" | "plan" | undefined {
  if (!isAllowed) {
    return "plan";
  }
  return prices === null ? "price" : undefined;
}

/** The models that offer what an endpoint does. */
export function modelsFor(models: readonly ModelInfo[], id: EndpointId): ModelInfo[] {
  const { operation } = endpoint(id);
  return models.filter(({ operations }) => operations.includes(operation));
}

/** The model to call: what was chosen, else the first that can be. */
export function chosenModel(models: readonly ModelInfo[], id: EndpointId, chosen: string): string {
  const fitting = modelsFor(models, id);
  const isOther =
    models.some(({ name }) => name === chosen) && !fitting.some(({ name }) => name === chosen);
  if (chosen !== "" && !isOther) {
    return chosen;
  }
  return fitting.find((model) => blockOf(model) === undefined)?.name ?? "";
}

const MILLION = 1_000_000n;
/** Prices have more digits than a nano-dollar when they are counted for one token. */
const SCALE = 1_000_000_000n;

/** What tokens cost at a price for a million of them, in the group's terms; rounded up. */
function costOf(
  tokens: number,
  perMillion: string | undefined,
  multiplier: string,
): bigint | undefined {
  if (perMillion === undefined) {
    return undefined;
  }
  const scaled = BigInt(tokens) * nanosOf(perMillion) * nanosOf(multiplier);
  return (scaled + MILLION * SCALE - 1n) / (MILLION * SCALE);
}

export interface Estimate {
  tokens: number;
  /** Input alone, and with all the output that is allowed, where that is known. */
  least?: string | undefined;
  most?: string | undefined;
}

/** A guess at what the next call reads and costs: four bytes a token, pictures not counted. */
export function estimate(
  texts: readonly string[],
  model: ModelInfo | undefined,
  maxOutput: number | undefined,
): Estimate {
  const bytes = texts.reduce((sum, text) => sum + new TextEncoder().encode(text).length, 0);
  const tokens = Math.ceil(bytes / 4);
  const input = model?.prices?.input;
  if (model === undefined || input === undefined) {
    return { tokens };
  }
  const least = costOf(tokens, input, model.multiplier);
  const output = maxOutput ?? model.capabilities?.max_output ?? undefined;
  const rest =
    output === undefined ? undefined : costOf(output, model.prices?.output, model.multiplier);
  return {
    tokens,
    least: least === undefined ? undefined : usdOf(least),
    most: least === undefined || rest === undefined ? undefined : usdOf(least + rest),
  };
}

/** Every text that a conversation sends. */
export function textsOf(turns: readonly Turn[], system: string): string[] {
  const said = turns.flatMap(({ parts }) =>
    parts.flatMap((part) => {
      if (part.type === "text" || part.type === "result") {
        return [part.text];
      }
      return part.type === "call" ? [part.call.arguments] : [];
    }),
  );
  return [system, ...said];
}
