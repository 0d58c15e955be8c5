// A test of many channels with many models, cell by cell. What is known is kept for this tab, so that a
// reload goes on where it was.

import { type StepName, testChannel } from "./channelTest";

export interface Cell {
  channelId: number;
  model: string;
}

export type CellResult =
  | { outcome: "passed"; took_ms: number }
  | { outcome: "failed"; step: StepName | null; detail: string };

export interface MatrixRun {
  cells: Cell[];
  results: Record<string, CellResult>;
  isRunning: boolean;
}

const KEY = "modelgate.channelMatrix";
/** Tests under way at once: enough to be quick, few enough to leave upstreams alone. */
const AT_ONCE = 4;

export function cellKey({ channelId, model }: Cell): string {
  return `${channelId} ${model}`;
}

/** The run of this tab, if there is one. */
export function loadRun(): MatrixRun | undefined {
  try {
    const text = sessionStorage.getItem(KEY);
    return text === null ? undefined : (JSON.parse(text) as MatrixRun);
  } catch {
    return undefined;
  }
}

export function saveRun(run: MatrixRun): void {
  sessionStorage.setItem(KEY, JSON.stringify(run));
}

/** Tests every cell that has no result yet; `onResult` hears of each. */
export async function runMatrix(
  run: MatrixRun,
  onResult: (cell: Cell, result: CellResult) => void,
  signal: AbortSignal,
): Promise<void> {
  const waiting = run.cells.filter((cell) => run.results[cellKey(cell)] === undefined);
  const next = async (): Promise<void> => {
    for (
      let cell = waiting.shift();
      cell !== undefined && !signal.aborted;
      cell = waiting.shift()
    ) {
      const result = await testCell(cell, signal);
      if (result !== undefined) {
        onResult(cell, result);
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, next));
}

async function testCell(cell: Cell, signal: AbortSignal): Promise<CellResult | undefined> {
  const began = performance.now();
  let detail = "";
  try {
    const verdict = await testChannel(
      { id: cell.channelId, model: cell.model },
      (report) => {
        if (report.outcome === "failed") {
          detail = report.detail;
        }
      },
      signal,
    );
    if (verdict?.success === true) {
      return { outcome: "passed", took_ms: Math.round(performance.now() - began) };
    }
    return { outcome: "failed", step: verdict?.failed_step ?? null, detail };
  } catch (error) {
    return signal.aborted
      ? undefined
      : { outcome: "failed", step: null, detail: (error as Error).message };
  }
}
