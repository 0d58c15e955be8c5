// The reply that is growing right now, outside React's state: components subscribe to it, and it tells
// them at most once a frame, so that a fast stream costs no more than a slow one.

import type { GrowingReply } from "../stream/fold";
import type { RawEvent } from "./exchange";

/** Raw events beyond this are counted, not kept. */
const KEPT_EVENTS = 5_000;

export interface LiveSnapshot {
  reply: GrowingReply;
  raw: readonly RawEvent[];
  dropped: number;
}

const NOTHING: LiveSnapshot = { reply: { parts: [], usage: {} }, raw: [], dropped: 0 };

export class LiveReply {
  #snapshot = NOTHING;
  readonly #raw: RawEvent[] = [];
  #dropped = 0;
  #frame: number | undefined;
  #read: (() => GrowingReply) | undefined;
  readonly #listeners = new Set<() => void>();

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly snapshot = (): LiveSnapshot => this.#snapshot;

  addRaw(event: RawEvent): void {
    if (this.#raw.length < KEPT_EVENTS) {
      this.#raw.push(event);
    } else {
      this.#dropped += 1;
    }
  }

  /** Notes that there is more; `read` is asked for it in the next frame. */
  grew(read: () => GrowingReply): void {
    this.#read = read;
    this.#frame ??= requestAnimationFrame(() => this.publish());
  }

  /** Tells the listeners now. */
  publish(): void {
    if (this.#frame !== undefined) {
      cancelAnimationFrame(this.#frame);
      this.#frame = undefined;
    }
    const reply = this.#read?.() ?? this.#snapshot.reply;
    this.#snapshot = { reply, raw: [...this.#raw], dropped: this.#dropped };
    for (const listener of this.#listeners) {
      listener();
    }
  }
}
