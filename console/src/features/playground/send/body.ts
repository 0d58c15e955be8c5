// A prepared request's body in the form that fetch takes.

import type { Media } from "../model/conversation";
import { bodyText, formFields, type PreparedRequest } from "../request/prepare";

export function wireBody({ body }: PreparedRequest): string | FormData {
  if (body.kind === "json") {
    return bodyText(body.value);
  }
  const form = new FormData();
  for (const [name, text] of formFields(body.value)) {
    form.append(name, text);
  }
  for (const { name, file } of body.files) {
    form.append(name, mediaBlob(file), file.name);
  }
  return form;
}

/** The bytes of a medium. */
function mediaBlob({ data, mediaType }: Media): Blob {
  const bytes = Uint8Array.from(atob(data), (character) => character.charCodeAt(0));
  return new Blob([bytes], { type: mediaType });
}

/** A file as base64, with its type and name. */
export async function readMedia(file: File): Promise<Media> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  const pieces: string[] = [];
  // A call takes only so many arguments.
  for (let from = 0; from < bytes.length; from += 0x8000) {
    pieces.push(String.fromCharCode(...bytes.subarray(from, from + 0x8000)));
  }
  return { mediaType: file.type, data: btoa(pieces.join("")), name: file.name };
}
