// One call of an endpoint that is no conversation: the request, whether it runs, and what it brought.

import { useEffect, useRef, useState } from "react";
import { requestIdOf } from "@/api/failure";
import { callModel } from "@/api/modelCall";
import type { CallFailure } from "../model/conversation";
import type { PreparedRequest } from "../request/prepare";
import { tokensFor } from "../send/api";
import { wireBody } from "../send/body";
import { refusalOf } from "../send/refusal";

/** What a call brought, read by `read` into what its surface shows. */
interface Result<T> {
  requestId?: string | undefined;
  totalMs: number;
  model: string;
  value?: T | undefined;
  failure?: CallFailure | undefined;
}

export interface OneCall<T> {
  isRunning: boolean;
  result: Result<T> | undefined;
  run: (request: PreparedRequest) => Promise<void>;
  stop: () => void;
}

export function useOneCall<T>(
  read: (answer: Response, request: PreparedRequest) => Promise<T>,
): OneCall<T> {
  const [result, setResult] = useState<Result<T>>();
  const [isRunning, setRunning] = useState(false);
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);
  const run = async (request: PreparedRequest) => {
    running.current?.abort();
    const controller = new AbortController();
    running.current = controller;
    setRunning(true);
    const outcome = await call(request, controller.signal, read);
    if (running.current === controller) {
      setRunning(false);
      if (!controller.signal.aborted) {
        setResult(outcome);
      }
    }
  };
  return { isRunning, result, run, stop: () => running.current?.abort() };
}

async function call<T>(
  request: PreparedRequest,
  signal: AbortSignal,
  read: (answer: Response, request: PreparedRequest) => Promise<T>,
): Promise<Result<T>> {
  const start = performance.now();
  const { path, headers, model } = request;
  let requestId: string | undefined;
  try {
    const token = await tokensFor(request.channel).token();
    const answer = await callModel({ path, headers, token, body: wireBody(request), signal });
    requestId = requestIdOf(answer);
    const read_ = answer.ok
      ? { value: await read(answer, request) }
      : { failure: await refusalOf(answer) };
    return { model, requestId, totalMs: performance.now() - start, ...read_ };
  } catch {
    const failure = { message: "" };
    return { model, requestId, totalMs: performance.now() - start, failure };
  }
}
