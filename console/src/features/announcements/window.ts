// When an announcement is shown, as form fields and as a state.

/** `2026-01-31T09:30` of the reader's time zone, for a `datetime-local` field. */
export function localField(at: string | null): string {
  if (at === null) {
    return "";
  }
  const date = new Date(at);
  const two = (value: number) => String(value).padStart(2, "0");
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day}T${two(date.getHours())}:${two(date.getMinutes())}`;
}

/** The moment that such a field names; null where it is empty. */
export function momentOf(field: string): string | null {
  return field === "" ? null : new Date(field).toISOString();
}

export type Phase = "coming" | "shown" | "past";

export function phaseOf(
  { starts_at, ends_at }: { starts_at: string; ends_at: string | null },
  now: number,
): Phase {
  if (Date.parse(starts_at) > now) {
    return "coming";
  }
  return ends_at !== null && Date.parse(ends_at) <= now ? "past" : "shown";
}
