// Dragging a card by its handle with mouse, pen or finger. Tiers mark themselves with `data-tier`; the
// one below the pointer is the target. Escape gives up.

import { type PointerEvent, useEffect, useState } from "react";
import type { Target } from "./tiers";

interface Drag {
  id: number;
  startX: number;
  startY: number;
  x: number;
  y: number;
  over: string | undefined;
}

export interface CardDrag {
  /** How far the card has been dragged; absent for all others. */
  offsetOf: (id: number) => { x: number; y: number } | undefined;
  /** Whether the pointer is above this target. */
  isOver: (target: Target) => boolean;
  /** Goes on the card's handle. */
  handle: (id: number) => {
    onPointerDown: (event: PointerEvent<HTMLElement>) => void;
    onPointerMove: (event: PointerEvent<HTMLElement>) => void;
    onPointerUp: (event: PointerEvent<HTMLElement>) => void;
    onPointerCancel: () => void;
  };
}

export function useCardDrag(onDrop: (id: number, target: Target) => void): CardDrag {
  const [drag, setDrag] = useState<Drag>();
  const isDragging = drag !== undefined;
  useEffect(() => {
    if (!isDragging) {
      return undefined;
    }
    const giveUp = (event: KeyboardEvent) => {
      if (event.key === "Escape") {
        setDrag(undefined);
      }
    };
    window.addEventListener("keydown", giveUp);
    return () => window.removeEventListener("keydown", giveUp);
  }, [isDragging]);

  return {
    offsetOf: (id) =>
      drag?.id === id ? { x: drag.x - drag.startX, y: drag.y - drag.startY } : undefined,
    isOver: (target) => drag?.over === String(target),
    handle: (id) => ({
      onPointerDown: (event) => {
        if (event.button === 0) {
          event.currentTarget.setPointerCapture(event.pointerId);
          const { clientX: x, clientY: y } = event;
          setDrag({ id, startX: x, startY: y, x, y, over: undefined });
        }
      },
      onPointerMove: ({ clientX: x, clientY: y }) => {
        if (isDragging) {
          setDrag({ ...drag, x, y, over: tierAt(x, y) });
        }
      },
      onPointerUp: ({ clientX, clientY }) => {
        const over = isDragging ? tierAt(clientX, clientY) : undefined;
        setDrag(undefined);
        if (over !== undefined) {
          onDrop(id, over === "above" || over === "below" ? over : Number(over));
        }
      },
      onPointerCancel: () => setDrag(undefined),
    }),
  };
}

function tierAt(x: number, y: number): string | undefined {
  const tier = document.elementFromPoint(x, y)?.closest<HTMLElement>("[data-tier]");
  return tier?.dataset.tier;
}
