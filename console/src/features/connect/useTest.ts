// "Test this": makes the tool's call from here, with the key where its secret is known, otherwise with
// the short-lived one of the playground.

import { useState } from "react";
import { RequestFailure } from "@/api/failure";
import { callModel } from "@/api/modelCall";
import { refusalText, replyText, sampleCall } from "@/recipes/sampleCall";
import { playgroundToken } from "./api";

export interface TestResult {
  isPassed: boolean;
  /** Absent where no answer came at all. */
  status: number | undefined;
  /** What the model said, or why it did not. */
  text: string | undefined;
  ms: number;
  requestId: string | undefined;
}

export interface ToolTest {
  isBusy: boolean;
  result: TestResult | undefined;
  run: (endpoint: string, model: string, secret: string | undefined) => Promise<void>;
}

export function useTest(): ToolTest {
  const [isBusy, setBusy] = useState(false);
  const [result, setResult] = useState<TestResult>();
  const run = async (endpoint: string, model: string, secret: string | undefined) => {
    const call = sampleCall(endpoint, model);
    if (call === undefined) {
      throw new Error(`No sample call for ${endpoint}`);
    }
    setBusy(true);
    setResult(undefined);
    const start = performance.now();
    try {
      const token = secret ?? (await playgroundToken()).token;
      const { signal } = new AbortController();
      const answer = await callModel({ ...call, token, signal });
      setResult(await resultOf(answer, start));
    } catch (error) {
      setResult(failed(error, start));
    } finally {
      setBusy(false);
    }
  };
  return { isBusy, result, run };
}

async function resultOf(answer: Response, start: number): Promise<TestResult> {
  const reply: unknown = await answer.json().catch(() => undefined);
  return {
    isPassed: answer.ok && reply !== undefined,
    status: answer.status,
    text: answer.ok ? replyText(reply) : refusalText(reply),
    ms: Math.round(performance.now() - start),
    requestId: answer.headers.get("x-request-id") ?? undefined,
  };
}

function failed(error: unknown, start: number): TestResult {
  const context = error instanceof RequestFailure ? error.context : {};
  return {
    isPassed: false,
    status: context.status,
    text: context.detail,
    ms: Math.round(performance.now() - start),
    requestId: context.requestId,
  };
}
