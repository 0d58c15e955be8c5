import { ActionIcon, Drawer, Group, Tooltip } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconAdjustmentsHorizontal, IconX } from "@tabler/icons-react";
import { useCallback, useEffect } from "react";
import { useTranslation } from "react-i18next";
import { useConversation } from "../hooks/useConversation";
import type { ReplyFacts, Turn } from "../model/conversation";
import type { ModelInfo } from "../model/models";
import type { Settings } from "../model/settings";
import { conversationInput, prepare } from "../request/prepare";
import { MessageList } from "./MessageList";
import { ModelPicker } from "./ModelPicker";
import classes from "./Playground.module.css";
import { SettingsPanel } from "./SettingsPanel";

/** What the page can make a column do. */
export interface ColumnHandle {
  send: (text: string) => void;
  stop: () => void;
}

export interface CompareColumnProps {
  id: string;
  number: number;
  models: readonly ModelInfo[];
  settings: Settings;
  handles: Map<string, ColumnHandle>;
  onSettings: (settings: Settings) => void;
  onFacts: (id: string, change: { facts?: ReplyFacts | undefined; isRunning: boolean }) => void;
  onRemove: (() => void) | undefined;
}

/** A model's own conversation, with settings of its own. */
export function CompareColumn(props: CompareColumnProps) {
  const { id, number, models, settings, handles, onSettings, onFacts, onRemove } = props;
  const { t } = useTranslation();
  const [isPanelOpen, panel] = useDisclosure(false);
  const onSettled = useCallback(
    (turns: Turn[]) => {
      const last = turns.at(-1);
      onFacts(id, { facts: last?.facts, isRunning: last?.role === "user" });
    },
    [id, onFacts],
  );
  const conversation = useConversation(onSettled);
  useEffect(() => {
    handles.set(id, {
      send: (text) => void conversation.send([{ type: "text", text }], settings),
      stop: conversation.stop,
    });
    return () => void handles.delete(id);
  });
  return (
    <article className={classes.compared} aria-label={t("playground.compare.column", { number })}>
      <Group gap={6} p="xs" align="flex-end" wrap="nowrap">
        <div style={{ flex: 1, minWidth: 0 }}>
          <ModelPicker
            models={models}
            endpoint="chat"
            label={t("playground.compare.model", { number })}
            value={settings.model}
            onChange={(model) => onSettings({ ...settings, model })}
          />
        </div>
        <Tooltip label={t("playground.compare.settings", { number })}>
          <ActionIcon
            size={36}
            variant="default"
            aria-label={t("playground.compare.settings", { number })}
            onClick={panel.open}
          >
            <IconAdjustmentsHorizontal size={18} />
          </ActionIcon>
        </Tooltip>
        {onRemove !== undefined && (
          <Tooltip label={t("playground.compare.remove", { number })}>
            <ActionIcon
              size={36}
              variant="default"
              aria-label={t("playground.compare.remove", { number })}
              onClick={onRemove}
            >
              <IconX size={18} />
            </ActionIcon>
          </Tooltip>
        )}
      </Group>
      <MessageList
        label={t("playground.compare.column", { number })}
        conversation={conversation}
        settings={settings}
        otherModels={[]}
        onModel={() => undefined}
      />
      <Drawer
        opened={isPanelOpen}
        onClose={panel.close}
        position="right"
        size="sm"
        title={t("playground.compare.settings", { number })}
        closeButtonProps={{ "aria-label": t("ui.close") }}
      >
        <SettingsPanel
          settings={settings}
          onChange={(change) => onSettings({ ...settings, ...change })}
          request={prepare(settings, conversationInput(conversation.turns))}
        />
      </Drawer>
    </article>
  );
}
