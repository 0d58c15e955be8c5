import { Code } from "@mantine/core";

/** A sentence of the gateway, in which names stand between backticks. */
export function WithCode({ text }: { text: string }) {
  let start = 0;
  return text.split("`").map((part, place) => {
    const key = start;
    start += part.length + 1;
    return place % 2 === 1 ? <Code key={key}>{part}</Code> : <span key={key}>{part}</span>;
  });
}
