// Cuts Markdown into blocks that can be drawn on their own, so that a growing reply draws only its last
// one anew. A cut is made at a blank line outside code, unless what follows may belong to a list or a
// quotation above it.

const FENCE = /^ {0,3}(`{3,}|~{3,})/;
// A mark of a list may still lack its space, or its point, while the text grows.
const CONTINUES = /^(?:\s|[-*+](?:\s|$)|\d+(?:[.)](?:\s|$)|$)|>|\|)/;

/** The blocks in order; joined by blank lines they are the text again. */
export function markdownBlocks(text: string): string[] {
  const blocks: string[] = [];
  let block: string[] = [];
  let fence: string | undefined;
  let isAfterBlank = false;
  for (const line of text.split("\n")) {
    const mark = FENCE.exec(line)?.[1];
    if (fence === undefined && isAfterBlank && line !== "" && !CONTINUES.test(line)) {
      blocks.push(block.join("\n").trimEnd());
      block = [];
    }
    if (mark !== undefined) {
      fence = nextFence(fence, mark);
    }
    block.push(line);
    isAfterBlank = fence === undefined && line.trim() === "" && block.length > 1;
  }
  const last = block.join("\n");
  return last.trim() === "" ? blocks : [...blocks, last];
}

/** A fence closes by one of its own kind that is at least as long. */
function nextFence(open: string | undefined, mark: string): string | undefined {
  if (open === undefined) {
    return mark;
  }
  return mark[0] === open[0] && mark.length >= open.length ? undefined : open;
}
