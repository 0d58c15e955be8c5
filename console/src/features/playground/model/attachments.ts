// Which files may go along with a message, and why another may not.

import type { Media } from "./conversation";
import type { EndpointId } from "./endpoints";
import type { Capabilities } from "./models";

/** The gateway and the vendors refuse larger bodies; base64 adds a third. */
export const LARGEST_BYTES = 15_000_000;

const IMAGES = ["image/png", "image/jpeg", "image/gif", "image/webp"];
const AUDIO = ["audio/wav", "audio/x-wav", "audio/mpeg", "audio/mp3"];

export type AttachmentProblem = "tooLarge" | "type" | "vision" | "audio" | "document";

/** Undefined when the file may go along. A model that nobody knows may take anything. */
export function attachmentProblem(
  file: Pick<File, "size" | "type">,
  endpoint: EndpointId,
  capabilities: Capabilities | null | undefined,
): AttachmentProblem | undefined {
  if (endpoint === "completions") {
    return "type";
  }
  if (file.size > LARGEST_BYTES) {
    return "tooLarge";
  }
  if (IMAGES.includes(file.type)) {
    return capabilities?.vision === false ? "vision" : undefined;
  }
  if (AUDIO.includes(file.type)) {
    // The messages dialect has no place for sound.
    return capabilities?.audio === false || endpoint === "messages" ? "audio" : undefined;
  }
  if (file.type === "application/pdf") {
    return capabilities?.documents === false ? "document" : undefined;
  }
  return "type";
}

/** What the file dialog offers. */
export function acceptedTypes(
  endpoint: EndpointId,
  capabilities: Capabilities | null | undefined,
): string {
  return [...IMAGES, ...AUDIO, "application/pdf"]
    .filter((type) => attachmentProblem({ size: 0, type }, endpoint, capabilities) === undefined)
    .join(",");
}

export function mediaUrl({ mediaType, data }: Media): string {
  return `data:${mediaType};base64,${data}`;
}
