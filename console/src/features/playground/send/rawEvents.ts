// The events of one reply as they came, for the raw view.

import type { RawEvent } from "./exchange";

export interface RawEvents {
  events: readonly RawEvent[];
  /** How many came after as many as are kept. */
  dropped: number;
}
