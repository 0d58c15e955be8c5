// The matrix of this tab as state: begins, stops, and goes on after a reload.

import { useCallback, useEffect, useRef, useState } from "react";
import { type Cell, cellKey, loadRun, type MatrixRun, runMatrix, saveRun } from "./matrix";

export function useMatrix() {
  const [run, setRun] = useState<MatrixRun | undefined>(loadRun);
  const controller = useRef<AbortController>(undefined);

  const go = useCallback(async (begun: MatrixRun) => {
    const stop = new AbortController();
    controller.current = stop;
    let current: MatrixRun = { ...begun, isRunning: true };
    const show = (next: MatrixRun) => {
      current = next;
      saveRun(next);
      setRun(next);
    };
    show(current);
    await runMatrix(
      begun,
      (cell, result) => {
        show({ ...current, results: { ...current.results, [cellKey(cell)]: result } });
      },
      stop.signal,
    );
    // After a reload the run is found as it was: still running.
    if (controller.current === stop) {
      show({ ...current, isRunning: false });
    }
  }, []);

  useEffect(() => {
    const kept = loadRun();
    if (kept?.isRunning === true) {
      void go(kept);
    }
    return () => {
      const running = controller.current;
      controller.current = undefined;
      running?.abort();
    };
  }, [go]);

  return {
    run,
    start: (cells: Cell[]) => void go({ cells, results: {}, isRunning: true }),
    stop: () => controller.current?.abort(),
  };
}
