// What a rule measured, as lines of a name and a text. Each rule has facts of its own; one that this page
// does not know is shown under its own name rather than left out.

export interface FactLine {
  name: string;
  text: string;
}

/** Long lists say how many there are beyond these. */
const MOST = 20;

/** Empty lists and absent values say nothing and are left out. */
export function factLines(facts: Readonly<Record<string, unknown>>): FactLine[] {
  return Object.entries(facts).flatMap(([name, value]) => {
    // Keys are counted from 1 wherever people see them.
    const text = textOf(name === "keys" && Array.isArray(value) ? value.map(numberOf) : value);
    return text === "" ? [] : [{ name, text }];
  });
}

function numberOf(index: unknown): unknown {
  return typeof index === "number" ? index + 1 : index;
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) {
    return "";
  }
  if (Array.isArray(value)) {
    const shown = value.slice(0, MOST).map(textOf).join(", ");
    return value.length > MOST ? `${shown} (+${value.length - MOST})` : shown;
  }
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
