export interface SparklineProps {
  /** Oldest first; a gap where nothing was measured. */
  values: readonly (number | null)[];
  /** What the line shows, in words. */
  label: string;
  /** The top of the scale; the largest value where absent. */
  max?: number;
  color?: string;
  width?: number;
  height?: number;
}

/** A line the size of a word. */
export function Sparkline({
  values,
  label,
  max,
  color = "var(--mantine-primary-color-filled)",
  width = 96,
  height = 24,
}: SparklineProps) {
  const top = Math.max(max ?? 0, ...values.map((value) => value ?? 0)) || 1;
  const step = values.length > 1 ? (width - 2) / (values.length - 1) : 0;
  const path = values
    .map((value, index) => {
      if (value === null) {
        return "";
      }
      const isStart = index === 0 || values[index - 1] === null;
      const x = 1 + index * step;
      const y = height - 2 - (value / top) * (height - 4);
      // A value without neighbours is a dot: a line of no length with round ends.
      const isAlone = isStart && (values[index + 1] ?? null) === null;
      const point = `${x.toFixed(1)} ${y.toFixed(1)}`;
      return `${isStart ? "M" : "L"}${point}${isAlone ? `L${point}` : ""}`;
    })
    .join("");
  return (
    <svg width={width} height={height} viewBox={`0 0 ${width} ${height}`} role="img">
      <title>{label}</title>
      <path
        d={path}
        fill="none"
        stroke={color}
        strokeWidth={1.6}
        strokeLinejoin="round"
        strokeLinecap="round"
      />
    </svg>
  );
}
