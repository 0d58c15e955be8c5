// Draws what stands far down a page only when it comes near the window, so that neither its code nor its
// data is asked for before.

import { Box } from "@mantine/core";
import { type ReactNode, useEffect, useRef, useState } from "react";

const MARGIN = "100px";

export interface WhenNearProps {
  /** Height of what will appear, so that nothing jumps. */
  height: number;
  children: ReactNode;
}

export function WhenNear({ height, children }: WhenNearProps) {
  const place = useRef<HTMLDivElement>(null);
  const [isNear, setNear] = useState(false);
  useEffect(() => {
    if (isNear || place.current === null) {
      return;
    }
    const observer = new IntersectionObserver(
      (entries) => setNear(entries.some(({ isIntersecting }) => isIntersecting)),
      { rootMargin: MARGIN },
    );
    observer.observe(place.current);
    return () => observer.disconnect();
  }, [isNear]);
  return isNear ? children : <Box ref={place} mih={height} />;
}
