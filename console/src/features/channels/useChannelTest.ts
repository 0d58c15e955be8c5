// One test at a time, as state: its steps so far, its verdict, why it could not be run.

import { useEffect, useRef, useState } from "react";
import type { StepReport } from "@/records/TestStepItem";
import type { Trial } from "./api";
import { testChannel, type Verdict } from "./channelTest";

export interface ChannelTest {
  isRunning: boolean;
  steps: readonly StepReport[];
  verdict: Verdict | undefined;
  failure: Error | undefined;
  run: (trial: Trial) => Promise<Verdict | undefined>;
  stop: () => void;
}

export function useChannelTest(): ChannelTest {
  const [isRunning, setRunning] = useState(false);
  const [steps, setSteps] = useState<readonly StepReport[]>([]);
  const [verdict, setVerdict] = useState<Verdict>();
  const [failure, setFailure] = useState<Error>();
  const current = useRef<AbortController>(undefined);
  useEffect(() => () => current.current?.abort(), []);

  const run = async (trial: Trial) => {
    current.current?.abort();
    const controller = new AbortController();
    current.current = controller;
    setSteps([]);
    setVerdict(undefined);
    setFailure(undefined);
    setRunning(true);
    try {
      const done = await testChannel(
        trial,
        (report) => setSteps((before) => [...before, report]),
        controller.signal,
      );
      setVerdict(done);
      return done;
    } catch (error) {
      if (!controller.signal.aborted) {
        setFailure(error as Error);
      }
      return undefined;
    } finally {
      if (current.current === controller) {
        setRunning(false);
      }
    }
  };
  return { isRunning, steps, verdict, failure, run, stop: () => current.current?.abort() };
}
