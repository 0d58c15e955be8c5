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
  className?: string | undefined;
}

/** A line the size of a word. */
export function Sparkline({
  values,
  label,
  max,
  color = "var(--mantine-primary-color-filled)",
  width = 96,
  height = 24,
  className,
}: SparklineProps) {
  const top = Math.max(max ?? 0, ...values.map((value) => value ?? 0)) || 1;
  // Hours apart from each other are dots, and dots as thin as a line would not be seen.
  const isDots = values.every(
    (value, index) => value === null || (values[index - 1] ?? values[index + 1] ?? null) === null,
  );
  const step = values.length > 1 ? (width - 6) / (values.length - 1) : 0;
  const path = values
    .map((value, index) => {
      if (value === null) {
        return "";
      }
      const isStart = index === 0 || values[index - 1] === null;
      const x = 3 + index * step;
      const y = height - 3 - (value / top) * (height - 6);
      // A value without neighbours is a dot: a line of no length with round ends.
      const isAlone = isStart && (values[index + 1] ?? null) === null;
      const point = `${x.toFixed(1)} ${y.toFixed(1)}`;
      return `${isStart ? "M" : "L"}${point}${isAlone ? `L${point}` : ""}`;
    })
    .join("");
  return (
    <svg
      width={width}
      height={height}
      viewBox={`0 0 ${width} ${height}`}
      role="img"
      className={className}
    >
      <title>{label}</title>
      <path
        d={`M1 ${height - 1}H${width - 1}`}
        stroke="var(--mantine-color-default-border)"
        strokeWidth={1}
      />
      <path
        d={path}
        fill="none"
        stroke={color}
        strokeWidth={isDots ? 5 : 1.6}
        strokeLinejoin="round"
        strokeLinecap="round"
      />
    </svg>
  );
}
