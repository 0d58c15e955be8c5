import { ActionIcon, Box, Button, Group, Select, Tooltip } from "@mantine/core";
import {
  IconAdjustmentsHorizontal,
  IconCode,
  IconColumns,
  IconLayoutSidebar,
} from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import type { ReactNode, Ref } from "react";
import { useTranslation } from "react-i18next";
import type { ChangeSettings } from "../hooks/useSettings";
import { ENDPOINT_IDS, type EndpointId } from "../model/endpoints";
import { chosenModel, type ModelInfo } from "../model/models";
import type { Settings } from "../model/settings";
import { ModelPicker } from "./ModelPicker";
import classes from "./Playground.module.css";

export interface TopBarProps {
  settings: Settings;
  models: readonly ModelInfo[];
  onChange: ChangeSettings;
  modelRef: Ref<HTMLInputElement>;
  areThreadsOpen: boolean;
  isPanelOpen: boolean;
  onThreads: () => void;
  onPanel: () => void;
  onCode: () => void;
}

const ENDPOINT_TEXT = {
  chat: "playground.endpoint.chat",
  responses: "playground.endpoint.responses",
  messages: "playground.endpoint.messages",
  generate: "playground.endpoint.generate",
  completions: "playground.endpoint.completions",
  embeddings: "playground.endpoint.embeddings",
  images: "playground.endpoint.images",
  edits: "playground.endpoint.edits",
  speech: "playground.endpoint.speech",
  transcription: "playground.endpoint.transcription",
  rerank: "playground.endpoint.rerank",
  realtime: "playground.endpoint.realtime",
} as const satisfies Record<EndpointId, string>;

/** Endpoint, model, and what opens beside the conversation. */
export function TopBar(props: TopBarProps) {
  const { settings, models, onChange } = props;
  const { t } = useTranslation();
  const endpoints = ENDPOINT_IDS.map((id) => ({ value: id, label: t(ENDPOINT_TEXT[id]) }));
  return (
    <Box className={classes.bar}>
      <Toggle
        label={t("playground.threads.toggle")}
        isOpen={props.areThreadsOpen}
        onClick={props.onThreads}
        icon={<IconLayoutSidebar size={18} />}
      />
      <Select
        className={classes.endpoint ?? ""}
        size="sm"
        label={t("playground.endpoint.label")}
        data={endpoints}
        value={settings.endpoint}
        allowDeselect={false}
        maxDropdownHeight={420}
        onChange={(value) => {
          const endpoint = ENDPOINT_IDS.find((id) => id === value) ?? "chat";
          onChange({ endpoint, model: chosenModel(models, endpoint, settings.model) });
        }}
      />
      <div className={classes.model}>
        <ModelPicker
          models={models}
          endpoint={settings.endpoint}
          value={settings.model}
          onChange={(model) => onChange({ model })}
          inputRef={props.modelRef}
        />
      </div>
      <Group gap={6} ms="auto" wrap="nowrap" className={classes.tools ?? ""}>
        <Button
          variant="default"
          size="sm"
          px="sm"
          leftSection={<IconColumns size={16} />}
          renderRoot={(root) => (
            <Link {...root} to="/console/playground/compare" search={{ models: settings.model }} />
          )}
        >
          {t("playground.compare.open")}
        </Button>
        <Button
          variant="default"
          size="sm"
          px="sm"
          leftSection={<IconCode size={16} />}
          onClick={props.onCode}
        >
          {t("playground.code.open")}
        </Button>
        <Toggle
          label={t("playground.panel.toggle")}
          isOpen={props.isPanelOpen}
          onClick={props.onPanel}
          icon={<IconAdjustmentsHorizontal size={18} />}
        />
      </Group>
    </Box>
  );
}

interface ToggleProps {
  label: string;
  isOpen: boolean;
  onClick: () => void;
  icon: ReactNode;
}

function Toggle({ label, isOpen, onClick, icon }: ToggleProps) {
  return (
    <Tooltip label={label}>
      <ActionIcon
        size={36}
        variant={isOpen ? "light" : "default"}
        aria-label={label}
        aria-expanded={isOpen}
        onClick={onClick}
      >
        {icon}
      </ActionIcon>
    </Tooltip>
  );
}
