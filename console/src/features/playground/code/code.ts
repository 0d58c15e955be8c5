// The three languages of the code panel.

import type { PreparedRequest } from "../request/prepare";
import { curl } from "./curl";
import { pythonCode } from "./python";
import { typescriptCode } from "./typescript";

export const LANGUAGES = ["curl", "python", "typescript"] as const;
export type CodeLanguage = (typeof LANGUAGES)[number];

/** Stands for a key that the reader has to put into the environment. */
export const KEY_VARIABLE = "$MODELGATE_API_KEY";

/** The program, or undefined where a language cannot make the call. */
export function codeFor(
  language: CodeLanguage,
  request: PreparedRequest,
  base: string,
  key: string = KEY_VARIABLE,
): string | undefined {
  switch (language) {
    case "curl":
      return request.endpoint === "realtime" ? undefined : curl(request, base, key);
    case "python":
      return pythonCode(request, base, key);
    case "typescript":
      return typescriptCode(request, base, key);
  }
}
