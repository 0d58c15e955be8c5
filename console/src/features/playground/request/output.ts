// Asking for JSON: any JSON, or JSON by a schema, in each dialect's form.

import type { ChatDialect } from "../model/conversation";
import type { Settings } from "../model/settings";
import { isObject, type JsonObject, parseJson, setAt } from "./json";

/** The schema's name, where a dialect wants one. */
const NAME = "answer";

/** The schema that was typed; undefined when it is no JSON object. */
export function readSchema(text: string): JsonObject | undefined {
  const value = parseJson(text);
  return isObject(value) ? value : undefined;
}

/** Writes the form of the answer into a body. */
export function writeOutput(body: JsonObject, dialect: ChatDialect, settings: Settings): void {
  const schema = settings.output === "schema" ? readSchema(settings.schema) : undefined;
  if (settings.output === "text" || (settings.output === "schema" && schema === undefined)) {
    return;
  }
  switch (dialect) {
    case "chat":
      body.response_format =
        schema === undefined
          ? { type: "json_object" }
          : { type: "json_schema", json_schema: { name: NAME, schema } };
      break;
    case "responses":
      setAt(
        body,
        ["text", "format"],
        schema === undefined
          ? { type: "json_object" }
          : { type: "json_schema", name: NAME, schema },
      );
      break;
    case "messages":
      // The dialect has no "any JSON"; the page does not offer it there.
      if (schema !== undefined) {
        body.output_config = { format: { type: "json_schema", schema } };
      }
      break;
    case "generate":
      setAt(body, ["generationConfig", "responseMimeType"], "application/json");
      if (schema !== undefined) {
        setAt(body, ["generationConfig", "responseJsonSchema"], schema);
      }
      break;
  }
}
