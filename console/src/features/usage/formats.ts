// Times on the axis and in the table: as fine as the steps are.

import type { Point } from "./chartData";

const DAY_MS = 86_400_000;

/** Days where a step is a day or more, otherwise the time, with the day where there are several. */
export function stepFormat(points: readonly Point[], language: string): Intl.DateTimeFormat {
  const [first] = points;
  const last = points.at(-1);
  const step = first === undefined ? 0 : first.until - first.at;
  const length = first === undefined || last === undefined ? 0 : last.until - first.at;
  const day = { month: "short", day: "numeric" } as const;
  const time = { hour: "2-digit", minute: "2-digit" } as const;
  if (step >= DAY_MS) {
    return new Intl.DateTimeFormat(language, day);
  }
  return new Intl.DateTimeFormat(language, length > 1.5 * DAY_MS ? { ...day, ...time } : time);
}
