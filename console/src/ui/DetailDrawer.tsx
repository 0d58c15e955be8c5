import { Drawer, type DrawerProps } from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";

export interface DetailDrawerProps extends Pick<DrawerProps, "size"> {
  /** Whether the address names a record: the open state lives there (`useUrlState`). */
  isOpen: boolean;
  title: ReactNode;
  onClose: () => void;
  children: ReactNode;
}

/** A record beside its list; the whole width on phones. */
export function DetailDrawer({ isOpen, title, onClose, size = "lg", children }: DetailDrawerProps) {
  const { t } = useTranslation();
  return (
    <Drawer
      opened={isOpen}
      onClose={onClose}
      title={title}
      size={size}
      position="right"
      closeButtonProps={{ "aria-label": t("ui.close") }}
      styles={{ title: { fontWeight: 650, overflowWrap: "anywhere", minWidth: 0 } }}
    >
      {children}
    </Drawer>
  );
}
