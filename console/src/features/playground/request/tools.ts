// The tools that a person declares, once, in the plainest form; each dialect writes them in its own.

import type { ChatDialect } from "../model/conversation";
import type { Settings } from "../model/settings";
import { isObject, type Json, type JsonObject, parseJson } from "./json";

interface Tool {
  name: string;
  description?: string;
  parameters: JsonObject;
}

/** The declared tools, or what is wrong with the text. */
export function readTools(text: string): { tools: Tool[] } | { problem: "json" | "shape" } {
  if (text.trim() === "") {
    return { tools: [] };
  }
  const value = parseJson(text);
  if (value === undefined) {
    return { problem: "json" };
  }
  if (!Array.isArray(value)) {
    return { problem: "shape" };
  }
  const tools = value.map(readTool);
  return tools.every((tool) => tool !== undefined) ? { tools } : { problem: "shape" };
}

/** Takes the plain form and the one of the chat dialect, which people have at hand. */
function readTool(value: Json): Tool | undefined {
  const plain = isObject(value) && isObject(value.function) ? value.function : value;
  if (!isObject(plain) || typeof plain.name !== "string" || !/^[\w-]{1,64}$/.test(plain.name)) {
    return undefined;
  }
  const schema = plain.parameters ?? plain.input_schema;
  return {
    name: plain.name,
    ...(typeof plain.description === "string" ? { description: plain.description } : {}),
    parameters: isObject(schema) ? schema : { type: "object", properties: {} },
  };
}

/** Writes tools and the choice among them into a body. */
export function writeTools(body: JsonObject, dialect: ChatDialect, settings: Settings): void {
  const read = readTools(settings.tools);
  if (!("tools" in read) || read.tools.length === 0) {
    return;
  }
  const choice = settings.toolChoice;
  switch (dialect) {
    case "chat":
      body.tools = read.tools.map((tool) => ({ type: "function", function: { ...tool } }));
      body.tool_choice = choice;
      break;
    case "responses":
      body.tools = read.tools.map((tool) => ({ type: "function", ...tool, strict: false }));
      body.tool_choice = choice;
      break;
    case "messages":
      body.tools = read.tools.map(({ parameters, ...tool }) => ({
        ...tool,
        input_schema: parameters,
      }));
      body.tool_choice = { type: choice === "required" ? "any" : choice };
      break;
    case "generate": {
      const functionDeclarations = read.tools.map(({ parameters, ...tool }) => ({
        ...tool,
        parametersJsonSchema: parameters,
      }));
      const mode = { auto: "AUTO", required: "ANY", none: "NONE" }[choice];
      body.tools = [{ functionDeclarations }];
      body.toolConfig = { functionCallingConfig: { mode } };
      break;
    }
  }
}
