// Keyboard shortcuts of every page: `?` lists them, `g` and a letter go to a page, `/` to the search.

import { Group, Kbd, Modal, SimpleGrid, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import { usePages } from "./usePages";

const SECOND_KEY_MS = 1_500;

/** Whether somebody is typing: then keys mean themselves. */
function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || target.closest("input, textarea, select, [role=dialog]") !== null)
  );
}

/** The page's search field, where it has one. */
function focusSearch(): boolean {
  const field = document.querySelector<HTMLInputElement>('main input[type="search"]');
  field?.focus();
  field?.select();
  return field !== null;
}

export function Shortcuts() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { personal, administration } = usePages();
  const [isListOpen, list] = useDisclosure(false);
  const goPressedAt = useRef(0);
  const pages = [...personal, ...administration];

  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) {
        return;
      }
      const wasGo = event.timeStamp - goPressedAt.current < SECOND_KEY_MS;
      const page = wasGo ? pages.find(({ letter }) => letter === event.key) : undefined;
      goPressedAt.current = event.key === "g" && !wasGo ? event.timeStamp : 0;
      if (page !== undefined) {
        void navigate({ to: page.to });
      } else if (event.key === "?") {
        list.open();
      } else if (event.key !== "/" || !focusSearch()) {
        return;
      }
      event.preventDefault();
    };
    document.addEventListener("keydown", onKeyDown);
    return () => document.removeEventListener("keydown", onKeyDown);
  });
  return (
    <Modal
      opened={isListOpen}
      onClose={list.close}
      title={t("frame.shortcuts")}
      size="lg"
      closeButtonProps={{ "aria-label": t("ui.close") }}
    >
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="xs">
        <Line keys={["Ctrl", "K"]} text={t("frame.openPalette")} />
        <Line keys={["/"]} text={t("frame.focusSearch")} />
        <Line keys={["?"]} text={t("frame.shortcuts")} />
        {pages.map(({ to, text, letter }) => (
          <Line key={to} keys={["g", letter]} text={t(text)} />
        ))}
      </SimpleGrid>
    </Modal>
  );
}

function Line({ keys, text }: { keys: readonly string[]; text: string }) {
  return (
    <Group justify="space-between" wrap="nowrap">
      <Text size="sm">{text}</Text>
      <Group gap={4} wrap="nowrap">
        {keys.map((key) => (
          <Kbd key={key}>{key}</Kbd>
        ))}
      </Group>
    </Group>
  );
}
