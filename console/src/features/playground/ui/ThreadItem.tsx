import { ActionIcon, Menu, Text, TextInput, UnstyledButton } from "@mantine/core";
import {
  IconDots,
  IconFileText,
  IconPencil,
  IconPin,
  IconPinned,
  IconTrash,
} from "@tabler/icons-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { ThreadSummary } from "../threads/thread";
import classes from "./Playground.module.css";

export interface ThreadItemProps {
  thread: ThreadSummary;
  isActive: boolean;
  onOpen: () => void;
  onPin: () => void;
  onRename: (title: string) => void;
  onDelete: () => void;
  onMarkdown: () => void;
}

/** One saved conversation in the list. */
export function ThreadItem({
  thread,
  isActive,
  onOpen,
  onPin,
  onRename,
  onDelete,
  onMarkdown,
}: ThreadItemProps) {
  const { t } = useTranslation();
  const [isRenaming, setRenaming] = useState(false);
  const title = thread.title || t("playground.threads.untitled");
  if (isRenaming) {
    return (
      <li>
        <RenameForm
          title={thread.title}
          onDone={(next) => {
            setRenaming(false);
            if (next !== undefined) {
              onRename(next);
            }
          }}
        />
      </li>
    );
  }
  return (
    <li className={classes.thread} data-active={isActive}>
      <UnstyledButton
        className={classes.title}
        onClick={onOpen}
        aria-current={isActive ? "true" : undefined}
      >
        <Text size="sm" truncate="end" title={title}>
          {thread.pinned && <IconPinned size={13} aria-label={t("playground.threads.pinned")} />}{" "}
          {title}
        </Text>
        <Text size="xs" c="dimmed" truncate="end">
          {thread.model}
        </Text>
      </UnstyledButton>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={t("playground.threads.actions", { title })}
          >
            <IconDots size={15} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<IconPin size={15} />} onClick={onPin}>
            {t(thread.pinned ? "playground.threads.unpin" : "playground.threads.pin")}
          </Menu.Item>
          <Menu.Item leftSection={<IconPencil size={15} />} onClick={() => setRenaming(true)}>
            {t("playground.threads.rename")}
          </Menu.Item>
          <Menu.Item leftSection={<IconFileText size={15} />} onClick={onMarkdown}>
            {t("playground.threads.markdown")}
          </Menu.Item>
          <Menu.Item leftSection={<IconTrash size={15} />} onClick={onDelete}>
            {t("playground.threads.delete")}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </li>
  );
}

function RenameForm({
  title,
  onDone,
}: {
  title: string;
  onDone: (title: string | undefined) => void;
}) {
  const { t } = useTranslation();
  const [text, setText] = useState(title);
  return (
    <TextInput
      size="xs"
      autoFocus
      aria-label={t("playground.threads.rename")}
      value={text}
      maxLength={200}
      onChange={(event) => setText(event.currentTarget.value)}
      onBlur={() => onDone(text)}
      onKeyDown={(event) => {
        if (event.key === "Enter") {
          onDone(text);
        } else if (event.key === "Escape") {
          onDone(undefined);
        }
      }}
    />
  );
}
