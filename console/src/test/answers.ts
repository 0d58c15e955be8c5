// Stands in for the gateway in unit tests: what each path answers.

import { vi } from "vitest";

/** Makes `fetch` answer by path. A path that is not named fails like a lost connection. */
export function answerWith(answers: Readonly<Record<string, () => Response>>): void {
  vi.stubGlobal("fetch", async (asked: string | Request) => {
    const path = typeof asked === "string" ? asked : new URL(asked.url).pathname;
    const answer = answers[path];
    if (answer === undefined) {
      throw new TypeError("Failed to fetch");
    }
    return answer();
  });
}
