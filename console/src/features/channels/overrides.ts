// A channel's overrides as fields of a form: headers as lines, the body as JSON text. What the form
// does not show (fault switches of a demo channel, anything newer) stays as it is.

export interface OverrideFields {
  /** `name: value` a line; a name alone drops the header. */
  headers: string;
  drop_headers: string[];
  /** A JSON object, or nothing. */
  body: string;
  drop_body: string[];
  tls_roots: string;
  /** A JSON object of fault switches, or nothing; for demo channels. */
  demo: string;
}

type Overrides = Record<string, unknown>;

export function readOverrides(overrides: unknown): OverrideFields {
  const all = asObject(overrides);
  return {
    headers: Object.entries(asObject(all.headers))
      .map(([name, value]) => (value === null ? name : `${name}: ${String(value)}`))
      .join("\n"),
    drop_headers: asList(all.drop_headers),
    body: asText(all.body),
    drop_body: asList(all.drop_body),
    tls_roots: typeof all.tls_roots === "string" ? all.tls_roots : "",
    demo: asText(all.demo),
  };
}

/** The object to send; null where nothing is overridden. Throws a SyntaxError on JSON that is none. */
export function writeOverrides(fields: OverrideFields, before: unknown = null): Overrides | null {
  const {
    headers: _headers,
    drop_headers: _dropHeaders,
    body: _body,
    drop_body: _dropBody,
    tls_roots: _roots,
    demo: _demo,
    ...rest
  } = asObject(before);
  const headers = readHeaders(fields.headers);
  const written: Overrides = {
    ...(Object.keys(headers).length > 0 ? { headers } : {}),
    ...(fields.drop_headers.length > 0 ? { drop_headers: fields.drop_headers } : {}),
    ...jsonField("body", fields.body),
    ...(fields.drop_body.length > 0 ? { drop_body: fields.drop_body } : {}),
    ...(fields.tls_roots.trim() === "" ? {} : { tls_roots: fields.tls_roots }),
    ...jsonField("demo", fields.demo),
    ...rest,
  };
  return Object.keys(written).length === 0 ? null : written;
}

/** What becomes of a request's body: fields at its top are left out, then set. A `null` leaves out, too. */
export function changedBody(
  request: Readonly<Record<string, unknown>>,
  { body, drop_body }: Pick<OverrideFields, "body" | "drop_body">,
): Record<string, unknown> {
  const set = Object.entries(isJsonObject(body) ? asObject(JSON.parse(body || "{}")) : {});
  const dropped = [
    ...drop_body,
    ...set.filter(([, value]) => value === null).map(([name]) => name),
  ];
  return Object.fromEntries([
    ...Object.entries(request).filter(([name]) => !dropped.includes(name)),
    ...set.filter(([, value]) => value !== null),
  ]);
}

function readHeaders(lines: string): Record<string, string | null> {
  const entries = lines
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .map((line): [string, string | null] => {
      const at = line.indexOf(":");
      return at < 0 ? [line, null] : [line.slice(0, at).trim(), line.slice(at + 1).trim()];
    });
  return Object.fromEntries(entries);
}

function jsonField(name: string, text: string): Overrides {
  return text.trim() === "" ? {} : { [name]: JSON.parse(text) };
}

/** Whether the text is nothing, or a JSON object. */
export function isJsonObject(text: string): boolean {
  if (text.trim() === "") {
    return true;
  }
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

function asObject(value: unknown): Overrides {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Overrides)
    : {};
}

function asList(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

function asText(value: unknown): string {
  return value === undefined || value === null ? "" : JSON.stringify(value, null, 2);
}
