// Copies text to the clipboard. The modern interface exists only on https and loopback, so plain
// http:// in a local network takes the older way through a selection.

/** Resolves to whether the text reached the clipboard. */
export async function copyText(text: string): Promise<boolean> {
  if (navigator.clipboard !== undefined) {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      // Refused by the browser's permission settings: the selection below may still be allowed.
    }
  }
  return copyBySelection(text);
}

function copyBySelection(text: string): boolean {
  const focused = document.activeElement;
  const area = document.createElement("textarea");
  area.value = text;
  area.readOnly = true;
  // Kept in view but unseen: a selection outside the viewport would scroll the page.
  area.style.position = "fixed";
  area.style.insetBlockStart = "0";
  area.style.opacity = "0";
  area.setAttribute("aria-hidden", "true");
  document.body.append(area);
  area.select();
  try {
    return document.execCommand("copy");
  } finally {
    area.remove();
    if (focused instanceof HTMLElement) {
      focused.focus();
    }
  }
}
