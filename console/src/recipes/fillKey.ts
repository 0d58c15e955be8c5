// Puts a key into a recipe's text. The server leaves its place open, as a variable's name.

/** What stands in the place of a key. */
const PLACE = "$MODELGATE_API_KEY";

/** The text with the key filled in; without one it stays a variable. */
export function fillKey(text: string, secret: string | undefined): string {
  return secret === undefined ? text : text.replaceAll(PLACE, () => secret);
}
