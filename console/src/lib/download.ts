// Saves text that the page has made as a file.

/** Offers the text for download under a name. */
export function downloadText(name: string, text: string, type = "text/plain"): void {
  const address = URL.createObjectURL(new Blob([text], { type: `${type};charset=utf-8` }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  // The download has begun by the next task; earlier would cancel it.
  setTimeout(() => URL.revokeObjectURL(address), 0);
}
