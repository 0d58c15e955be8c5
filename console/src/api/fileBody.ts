// A file as the whole body of a call, byte by byte: nothing here reads or rewrites it.

/** The parts of a call's settings that send a file as it is. */
export function fileBody(file: Blob | null) {
  return {
    body: (file ?? new Blob()) as never,
    bodySerializer: (body: unknown) => body as Blob,
    headers: { "content-type": "application/octet-stream" },
  };
}
