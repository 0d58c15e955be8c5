// A provider's key as fields: one field is sent as it is, several as one JSON object.

export interface CredentialField {
  name: string;
  required: boolean;
}

/** The key as the interface takes it; empty where nothing was typed. */
export function composeKey(
  fields: readonly CredentialField[],
  values: Readonly<Record<string, string>>,
): string {
  const [only] = fields;
  if (only !== undefined && fields.length === 1) {
    return (values[only.name] ?? "").trim();
  }
  const given = fields.flatMap(({ name }) => {
    const value = (values[name] ?? "").trim();
    return value === "" ? [] : [[name, value] as const];
  });
  // A key alone is what most customers of such providers have.
  if (given.length === 1 && given[0]?.[0] === "api_key") {
    return given[0][1];
  }
  return given.length === 0 ? "" : JSON.stringify(Object.fromEntries(given));
}

/** Required fields that are still empty. */
export function missingFields(
  fields: readonly CredentialField[],
  values: Readonly<Record<string, string>>,
): string[] {
  return fields
    .filter(({ name, required }) => required && (values[name] ?? "").trim() === "")
    .map(({ name }) => name);
}

/** Spreads a pasted JSON object (a service account's file) over the fields that it names. */
export function spreadKey(
  fields: readonly CredentialField[],
  pasted: string,
): Record<string, string> {
  const [first] = fields;
  if (first === undefined) {
    return {};
  }
  try {
    const parsed: unknown = JSON.parse(pasted);
    if (typeof parsed === "object" && parsed !== null) {
      const known = Object.entries(parsed).filter(
        ([name, value]) => typeof value === "string" && fields.some((field) => field.name === name),
      );
      return Object.fromEntries(known);
    }
  } catch {
    // Not JSON: then it is the key itself.
  }
  const name = fields.find((field) => field.name === "api_key")?.name ?? first.name;
  return { [name]: pasted };
}
