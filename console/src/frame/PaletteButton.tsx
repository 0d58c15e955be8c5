import { ActionIcon, Tooltip } from "@mantine/core";
import { useDisclosure, useHotkeys } from "@mantine/hooks";
import { IconSearch } from "@tabler/icons-react";
import { lazy, Suspense, useState } from "react";
import { useTranslation } from "react-i18next";

const Palette = lazy(() => import("./palette/Palette"));

/** Opens the command palette; its code is fetched when it is first asked for. */
export function PaletteButton() {
  const { t } = useTranslation();
  const [isOpen, { open, close }] = useDisclosure(false);
  const [wasOpened, setOpened] = useState(false);
  const show = () => {
    setOpened(true);
    open();
  };
  useHotkeys([["mod+K", show]], []);
  return (
    <>
      <Tooltip label={t("frame.openPaletteKeys")}>
        <ActionIcon
          variant="subtle"
          color="gray"
          size="lg"
          aria-label={t("frame.openPalette")}
          aria-keyshortcuts="Control+K"
          onClick={show}
        >
          <IconSearch size={20} stroke={1.6} />
        </ActionIcon>
      </Tooltip>
      {wasOpened && (
        <Suspense>
          <Palette isOpen={isOpen} onClose={close} />
        </Suspense>
      )}
    </>
  );
}
