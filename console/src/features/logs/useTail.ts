// Follows calls as they end. After every interruption the list is read again from the last known call
// on, so that nothing that ended meanwhile is missing.

import { useCallback, useEffect, useRef, useState } from "react";
import { listenToCalls, type RunningCalls } from "@/api/callStream";
import { type Call, readCalls, type Scope } from "./api";
import { arrive, EMPTY_TAIL, release, type Tail } from "./tail";

/** Calls are logged a moment after they end: so far back is read again. */
const BACK_MS = 10_000;
const PAGE_SIZE = 1_000;
/** Arrivals are drawn together, so that a busy gateway does not mean a busy page. */
const DRAW_MS = 250;

export type TailState = "connecting" | "live" | "interrupted" | "ended";

const NOTHING_RUNS: RunningCalls = { calls: [], more: 0 };

export interface LiveTail extends Tail {
  state: TailState;
  running: RunningCalls;
  isPaused: boolean;
  setPaused: (isPaused: boolean) => void;
}

export interface TailOptions {
  isOn: boolean;
  /** Arrivals wait, because somebody is reading. */
  isHeld: boolean;
  scope: Scope;
  filter: Readonly<Record<string, string>>;
}

export function useTail({ isOn, isHeld, scope, filter }: TailOptions): LiveTail {
  const [tail, setTail] = useState(EMPTY_TAIL);
  const [state, setState] = useState<TailState>("connecting");
  const [running, setRunning] = useState(NOTHING_RUNS);
  const [isPaused, setPaused] = useState(false);
  const isWaiting = useRef(false);
  isWaiting.current = isPaused || isHeld;
  const key = JSON.stringify([scope, filter]);
  useEffect(() => {
    if (!isOn) {
      return undefined;
    }
    setTail(EMPTY_TAIL);
    setState("connecting");
    setRunning(NOTHING_RUNS);
    const [ofScope, ofFilter] = JSON.parse(key) as [Scope, Record<string, string>];
    const add = (calls: readonly Call[]) =>
      setTail((before) => arrive(before, calls, isWaiting.current));
    return follow(ofScope, ofFilter, { add, onState: setState, onRunning: setRunning });
  }, [isOn, key]);
  useEffect(() => {
    if (!isPaused && !isHeld) {
      setTail((before) => (before.waiting.length === 0 ? before : release(before)));
    }
  }, [isPaused, isHeld]);
  const pause = useCallback((value: boolean) => setPaused(value), []);
  return { ...tail, state, running, isPaused, setPaused: pause };
}

interface Follower {
  add: (calls: readonly Call[]) => void;
  onState: (state: TailState) => void;
  onRunning: (running: RunningCalls) => void;
}

/** Streams and catches up until the returned function is called. */
function follow(
  scope: Scope,
  filter: Readonly<Record<string, string>>,
  { add, onState, onRunning }: Follower,
): () => void {
  const started = Date.now();
  const abort = new AbortController();
  let arrived: Call[] = [];
  let newest = started;
  const draw = setInterval(() => {
    if (arrived.length > 0) {
      add(arrived);
      arrived = [];
    }
  }, DRAW_MS);
  const catchUp = async () => {
    const from = new Date(newest - BACK_MS).toISOString();
    const { items } = await readCalls(
      { scope, filter: { ...filter, from }, limit: PAGE_SIZE },
      abort.signal,
    );
    arrived.push(...items.filter(({ created_at }) => Date.parse(created_at) >= started - BACK_MS));
  };
  const missed = () => void catchUp().catch(() => onState("interrupted"));
  const stop = listenToCalls(
    { ...filter, scope },
    {
      onCall: (call) => {
        newest = Math.max(newest, Date.parse(call.created_at));
        arrived.push(call);
      },
      onRunning,
      onOpen: () => {
        // A new stream tells of what runs only once something does.
        onRunning(NOTHING_RUNS);
        onState("live");
        missed();
      },
      onSkipped: missed,
      onBreak: (isOver) => onState(isOver ? "ended" : "interrupted"),
    },
  );
  return () => {
    stop();
    clearInterval(draw);
    abort.abort();
  };
}
