// Sizes as people read them, in the reader's language.

const UNITS = [
  { unit: "gigabyte", bytes: 1e9 },
  { unit: "megabyte", bytes: 1e6 },
  { unit: "kilobyte", bytes: 1e3 },
] as const;

/** `3200000000` becomes "3.2 GB" in English. */
export function formatBytes(bytes: number, language: string): string {
  const found = UNITS.find((each) => bytes >= each.bytes) ?? { unit: "byte", bytes: 1 };
  return new Intl.NumberFormat(language, {
    style: "unit",
    unit: found.unit,
    maximumFractionDigits: 1,
  }).format(bytes / found.bytes);
}
