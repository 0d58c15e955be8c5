// Durations as people read them: the two largest units, in the reader's language.

const UNITS = [
  { unit: "day", seconds: 86_400 },
  { unit: "hour", seconds: 3_600 },
  { unit: "minute", seconds: 60 },
  { unit: "second", seconds: 1 },
] as const;

/** `90061` becomes "1 day 1 hr" in English. Fractions of a second are dropped. */
export function formatDuration(totalSeconds: number, language: string): string {
  const whole = Math.max(0, Math.floor(totalSeconds));
  const first = UNITS.findIndex(({ seconds }) => whole >= seconds);
  const shown = first === -1 ? UNITS.slice(-1) : UNITS.slice(first, first + 2);
  let rest = whole;
  const parts: string[] = [];
  for (const { unit, seconds } of shown) {
    const count = Math.floor(rest / seconds);
    rest -= count * seconds;
    if (count > 0 || parts.length === 0) {
      parts.push(formatUnit(count, unit, language));
    }
  }
  return parts.join(" ");
}

function formatUnit(count: number, unit: string, language: string): string {
  return new Intl.NumberFormat(language, { style: "unit", unit, unitDisplay: "short" }).format(
    count,
  );
}
