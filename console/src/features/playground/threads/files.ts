// Threads as files: JSON that can come back, and Markdown for people.

import { newId, type Part, type Turn } from "../model/conversation";
import type { Thread } from "./thread";

export function exportJson(threads: readonly Thread[]): string {
  return JSON.stringify({ format: "modelgate-threads", version: 1, threads }, null, 2);
}

/** The threads of an exported file and how many in it were broken; undefined when it is no such file. */
export async function importJson(
  text: string,
): Promise<{ threads: Thread[]; broken: number } | undefined> {
  const { readFile } = await import("./schema");
  try {
    return readFile(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** Threads under ids that are not taken yet. */
export function withFreshIds(threads: readonly Thread[], taken: ReadonlySet<string>): Thread[] {
  return threads.map((thread) => (taken.has(thread.id) ? { ...thread, id: newId() } : thread));
}

/** `roles` are the words for the two speakers. */
export function exportMarkdown(thread: Thread, roles: { user: string; assistant: string }): string {
  const messages = thread.turns.map((turn) => `## ${roles[turn.role]}\n\n${markdownOf(turn)}`);
  return `# ${thread.title}\n\n${messages.join("\n\n")}\n`;
}

function markdownOf({ parts }: Turn): string {
  return parts.map(pieceOf).filter(Boolean).join("\n\n");
}

function pieceOf(part: Part): string {
  switch (part.type) {
    case "text":
      return part.text;
    case "reasoning":
      return part.text === "" ? "" : part.text.replace(/^/gm, "> ");
    case "media":
      return `*[${part.media.name || part.media.mediaType}]*`;
    case "call":
      return `\`${part.call.name}\`\n\n\`\`\`json\n${part.call.arguments}\n\`\`\``;
    case "result":
      return `\`${part.name}\` →\n\n\`\`\`\n${part.text}\n\`\`\``;
  }
}
