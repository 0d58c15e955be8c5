import { Drawer } from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import classes from "./Playground.module.css";

export interface SidePanelProps {
  side: "start" | "end";
  title: string;
  isOpen: boolean;
  /** Whether there is no room beside the page. */
  isOver: boolean;
  onToggle: () => void;
  children: ReactNode;
}

/** A part of the page at its side: a column, or a drawer on small screens. */
export function SidePanel({ side, title, isOpen, isOver, onToggle, children }: SidePanelProps) {
  const { t } = useTranslation();
  if (isOver) {
    return (
      <Drawer
        opened={isOpen}
        onClose={onToggle}
        title={title}
        position={side === "start" ? "left" : "right"}
        size="sm"
        closeButtonProps={{ "aria-label": t("ui.close") }}
      >
        {children}
      </Drawer>
    );
  }
  const column = side === "start" ? 1 : 3;
  return isOpen ? (
    <aside
      className={`${classes.side} ${classes[side]}`}
      style={{ gridColumn: column }}
      aria-label={title}
    >
      {children}
    </aside>
  ) : null;
}
