// A test of many channels with many models, as the gateway's task tells it.

import type { Schema } from "@/api/management";

export interface Cell {
  channelId: number;
  model: string;
}

export interface CellResult {
  outcome: "passed" | "failed" | "skipped";
  detail: string;
  took_ms: number;
}

export interface MatrixRun {
  isRunning: boolean;
  /** Cells that were tried; those that a channel does not serve are not counted. */
  done: number;
  total: number;
  results: Readonly<Record<string, CellResult>>;
}

export function cellKey({ channelId, model }: Cell): string {
  return `${channelId} ${model}`;
}

interface Found {
  cells?: readonly (CellResult & { channel_id: number; model: string })[];
}

/** What the task has found so far. */
export function runOf({ state, total, result }: Schema<"Task">): MatrixRun {
  const cells = (result as Found | null)?.cells ?? [];
  const tried = cells.filter(({ outcome }) => outcome !== "skipped");
  return {
    isRunning: state === "running",
    done: tried.length,
    total: (total ?? cells.length) - (cells.length - tried.length),
    results: Object.fromEntries(
      cells.map(({ channel_id, model, ...cell }) => [
        cellKey({ channelId: channel_id, model }),
        cell,
      ]),
    ),
  };
}
