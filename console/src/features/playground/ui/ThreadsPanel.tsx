import { ActionIcon, Button, FileButton, Group, Menu, Stack, Text, TextInput } from "@mantine/core";
import { IconDots, IconDownload, IconPlus, IconSearch, IconUpload } from "@tabler/icons-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { downloadText } from "@/lib/download";
import { toast, undoToast } from "@/ui/toast";
import { exportJson, exportMarkdown, importJson, withFreshIds } from "../threads/files";
import type { ThreadStore, ThreadsSnapshot } from "../threads/store";
import { listed } from "../threads/thread";
import { ThreadItem } from "./ThreadItem";

export interface ThreadsPanelProps {
  threads: ThreadsSnapshot;
  store: ThreadStore;
  activeId: string | undefined;
  onNew: () => void;
  onOpen: (id: string) => void;
}

/** The saved conversations of this browser. */
export function ThreadsPanel({ threads, store, activeId, onNew, onOpen }: ThreadsPanelProps) {
  const { t } = useTranslation();
  const [search, setSearch] = useState("");
  const shown = listed(threads.summaries, search);
  const remove = async (id: string) => {
    const removed = await store.remove(id);
    if (id === activeId) {
      onNew();
    }
    if (removed !== undefined) {
      undoToast(
        t("playground.threads.deleted", { title: removed.title }),
        () => void store.put(removed),
      );
    }
  };
  const saveMarkdown = async (id: string) => {
    const thread = await store.get(id);
    if (thread !== undefined) {
      const roles = { user: t("playground.role.user"), assistant: t("playground.role.assistant") };
      downloadText("thread.md", exportMarkdown(thread, roles), "text/markdown");
    }
  };
  return (
    <Stack gap="xs">
      <Group gap="xs" wrap="nowrap">
        <Button
          size="xs"
          variant="default"
          flex={1}
          leftSection={<IconPlus size={15} />}
          onClick={onNew}
        >
          {t("playground.threads.new")}
        </Button>
        <FilesMenu store={store} threads={threads} />
      </Group>
      <TextInput
        size="xs"
        type="search"
        aria-label={t("playground.threads.search")}
        placeholder={t("playground.threads.search")}
        leftSection={<IconSearch size={14} />}
        value={search}
        onChange={(event) => setSearch(event.currentTarget.value)}
      />
      {shown.length === 0 && threads.isLoaded && (
        <Text size="sm" c="dimmed" p="xs">
          {threads.summaries.length === 0
            ? t("playground.threads.empty")
            : t("region.noneMatch", { total: threads.summaries.length })}
        </Text>
      )}
      <Stack
        gap={2}
        component="ul"
        p={0}
        m={0}
        style={{ listStyle: "none" }}
        aria-label={t("playground.threads.list")}
      >
        {shown.map((thread) => (
          <ThreadItem
            key={thread.id}
            thread={thread}
            isActive={thread.id === activeId}
            onOpen={() => onOpen(thread.id)}
            onPin={() => void store.change(thread.id, { pinned: !thread.pinned })}
            onRename={(title) => void store.change(thread.id, { title })}
            onDelete={() => void remove(thread.id)}
            onMarkdown={() => void saveMarkdown(thread.id)}
          />
        ))}
      </Stack>
      <Text size="xs" c="dimmed" px={4}>
        {t(threads.isKept ? "playground.threads.privacy" : "playground.threads.notKept")}
      </Text>
    </Stack>
  );
}

/** All threads into a file, and back. */
function FilesMenu({ store, threads }: { store: ThreadStore; threads: ThreadsSnapshot }) {
  const { t } = useTranslation();
  const take = async (file: File | null) => {
    const read = file === null ? undefined : await importJson(await file.text());
    if (read === undefined) {
      toast(t("playground.threads.notAFile"));
      return;
    }
    const taken = new Set(threads.summaries.map(({ id }) => id));
    await store.put(...withFreshIds(read.threads, taken));
    toast(
      read.broken === 0
        ? t("playground.threads.imported", { count: read.threads.length })
        : t("playground.threads.importedSome", { count: read.threads.length, broken: read.broken }),
    );
  };
  return (
    <FileButton onChange={(file) => void take(file)} accept="application/json,.json">
      {(button) => (
        <Menu position="bottom-end">
          <Menu.Target>
            <ActionIcon variant="default" size={30} aria-label={t("playground.threads.files")}>
              <IconDots size={16} />
            </ActionIcon>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Item leftSection={<IconUpload size={15} />} onClick={button.onClick}>
              {t("playground.threads.import")}
            </Menu.Item>
            <Menu.Item
              leftSection={<IconDownload size={15} />}
              disabled={threads.summaries.length === 0}
              onClick={() =>
                void store
                  .all()
                  .then((all) => downloadText("threads.json", exportJson(all), "application/json"))
              }
            >
              {t("playground.threads.export")}
            </Menu.Item>
          </Menu.Dropdown>
        </Menu>
      )}
    </FileButton>
  );
}
