// Comma-separated values that a spreadsheet opens without running anything in them.

/** A cell that begins like a formula gets an apostrophe in front. Numbers are left alone. */
function cell(value: unknown): string {
  const text = value === null || value === undefined ? "" : String(value);
  const isNumber = /^-?\d+(\.\d+)?$/.test(text);
  const safe = /^[=+\-@\t\r]/.test(text) && !isNumber ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Lines end as RFC 4180 says. */
export function toCsv(header: readonly string[], rows: Iterable<readonly unknown[]>): string {
  const lines = [header, ...rows].map((row) => row.map(cell).join(","));
  return `${lines.join("\r\n")}\r\n`;
}
