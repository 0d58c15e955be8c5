// The last hour of a channel as a line: the share of tries that failed, in stretches of three minutes.

const HOUR_MS = 3_600_000;
const STRETCHES = 20;

interface Stretch {
  at: string;
  channel_id: number;
  attempts: number;
  failures: number;
}

/** Oldest first, from 0 to 1; null where nothing was tried. */
export function errorShares(
  stretches: readonly Stretch[],
  channelId: number,
  now: number,
): (number | null)[] {
  const sums = Array.from({ length: STRETCHES }, () => ({ attempts: 0, failures: 0 }));
  for (const { at, channel_id, attempts, failures } of stretches) {
    const age = now - Date.parse(at);
    const sum = sums[STRETCHES - 1 - Math.floor((age / HOUR_MS) * STRETCHES)];
    if (channel_id === channelId && sum !== undefined) {
      sum.attempts += attempts;
      sum.failures += failures;
    }
  }
  return sums.map(({ attempts, failures }) => (attempts === 0 ? null : failures / attempts));
}
