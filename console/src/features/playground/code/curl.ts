// A prepared request as a curl command for a POSIX shell: the very bytes that the playground sends.

import { bodyText, formFields, type PreparedRequest } from "../request/prepare";

/** A command line has a limit; beyond this the body comes in through standard input. */
const INLINE_LIMIT = 60_000;

export function curl(request: PreparedRequest, base: string, key: string): string {
  const lines = [
    `curl ${request.isStream ? "-N " : ""}${quoted(base + request.path)}`,
    `-H ${authorization(key)}`,
    ...Object.entries(request.headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
  ];
  if (request.body.kind === "form") {
    const { value, files } = request.body;
    const texts = formFields(value).map(
      ([name, text]) => `--form-string ${quoted(`${name}=${text}`)}`,
    );
    const parts = files.map(
      ({ name, file }) => `-F ${quoted(`${name}=@${file.name};type=${file.mediaType}`)}`,
    );
    return [...lines, ...texts, ...parts].join(" \\\n  ");
  }
  const text = bodyText(request.body.value);
  if (text.length <= INLINE_LIMIT) {
    return [...lines, `-d ${quoted(text)}`].join(" \\\n  ");
  }
  // A body in JSON has no line that is just this word.
  return `${[...lines, "--data-binary @-"].join(" \\\n  ")} <<'END_OF_BODY'\n${text}\nEND_OF_BODY`;
}

/** Double quotes where the shell has to put the key in. */
function authorization(key: string): string {
  return key.startsWith("$")
    ? `"Authorization: Bearer ${key}"`
    : quoted(`Authorization: Bearer ${key}`);
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
