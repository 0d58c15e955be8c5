// An act on the selected channels: choose it, see what it would change, run it, stop it.

import {
  Button,
  Group,
  Modal,
  NumberInput,
  Progress,
  Select,
  Stack,
  TagsInput,
  Text,
  TextInput,
} from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { FormFailure } from "@/ui/form/FormFailure";
import type { Channel } from "./api";
import { BulkPreview } from "./BulkPreview";
import { type BulkAction, preview } from "./bulk";
import { type BulkRun, useBulkRun } from "./useBulkRun";

const KIND_TEXT = {
  enable: "channels.action.on",
  drain: "channels.action.drain",
  disable: "channels.action.off",
  tag: "channels.bulk.tag",
  untag: "channels.bulk.untag",
  priority: "channels.bulk.priority",
  weight: "channels.bulk.weight",
  add_models: "channels.bulk.add_models",
  remove_models: "channels.bulk.remove_models",
} as const satisfies Record<BulkAction["kind"], string>;

type Kind = keyof typeof KIND_TEXT;
const KINDS = Object.keys(KIND_TEXT) as Kind[];

export interface BulkDialogProps {
  /** Absent while the dialog is closed. */
  channels: readonly Channel[] | undefined;
  onClose: () => void;
}

export function BulkDialog({ channels, onClose }: BulkDialogProps) {
  const { t } = useTranslation();
  return (
    <Modal
      opened={channels !== undefined}
      onClose={onClose}
      size="xl"
      title={t("channels.bulk.title", { count: channels?.length ?? 0 })}
      closeButtonProps={{ "aria-label": t("ui.close") }}
      closeOnClickOutside={false}
    >
      {channels !== undefined && <Bulk channels={channels} onClose={onClose} />}
    </Modal>
  );
}

function Bulk({ channels, onClose }: { channels: readonly Channel[]; onClose: () => void }) {
  const { t } = useTranslation();
  const [kind, setKind] = useState<Kind>("drain");
  const [tag, setTag] = useState("");
  const [value, setValue] = useState<number | string>(0);
  const [models, setModels] = useState<string[]>([]);
  const action = actionOf(kind, tag, value, models);
  const effects = action === undefined ? [] : preview(channels, action);
  const run = useBulkRun();
  if (run.isBegun) {
    return <Running run={run} onClose={onClose} />;
  }
  const changed = effects.filter(({ skipped }) => skipped === undefined).length;
  return (
    <Stack gap="md">
      <Group align="flex-start" grow>
        <Select
          label={t("channels.bulk.what")}
          data={KINDS.map((each) => ({ value: each, label: t(KIND_TEXT[each]) }))}
          value={kind}
          allowDeselect={false}
          onChange={(next) => setKind((next as Kind | null) ?? "drain")}
          data-autofocus
        />
        {(kind === "tag" || kind === "untag") && (
          <TextInput
            label={t("channels.field.tag")}
            value={tag}
            onChange={(event) => setTag(event.currentTarget.value)}
          />
        )}
        {(kind === "priority" || kind === "weight") && (
          <NumberInput
            label={kind === "priority" ? t("channels.field.priority") : t("channels.field.weight")}
            value={value}
            allowDecimal={false}
            {...(kind === "weight" ? { min: 0 } : {})}
            onChange={setValue}
          />
        )}
        {(kind === "add_models" || kind === "remove_models") && (
          <TagsInput label={t("channels.models")} value={models} onChange={setModels} />
        )}
      </Group>
      <BulkPreview effects={effects} />
      <FormFailure failure={run.failure} />
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={onClose}>
          {t("ui.cancel")}
        </Button>
        <Button
          disabled={action === undefined || changed === 0}
          onClick={() => action !== undefined && run.start(effects, action)}
        >
          {t("channels.bulk.run", { count: changed })}
        </Button>
      </Group>
    </Stack>
  );
}

function actionOf(
  kind: Kind,
  tag: string,
  value: number | string,
  models: readonly string[],
): BulkAction | undefined {
  switch (kind) {
    case "tag":
    case "untag":
      return tag.trim() === "" ? undefined : { kind, tag: tag.trim() };
    case "priority":
    case "weight":
      return typeof value === "number" ? { kind, value } : undefined;
    case "add_models":
    case "remove_models":
      return models.length === 0 ? undefined : { kind, models };
    default:
      return { kind };
  }
}

function Running({ run, onClose }: { run: BulkRun; onClose: () => void }) {
  const { t } = useTranslation();
  const { done, total } = run;
  const isCut = !run.isRunning && done < total;
  return (
    <Stack gap="md">
      <Progress
        value={total === 0 ? 0 : (done / total) * 100}
        aria-label={t("channels.bulk.progress")}
        size="lg"
      />
      <Text role="status">
        {isCut
          ? t("channels.bulk.stopped", { done, total })
          : t("channels.bulk.done", { done, total })}
      </Text>
      {run.message !== "" && (
        <Text size="sm" c="dimmed" style={{ overflowWrap: "anywhere" }}>
          {run.message}
        </Text>
      )}
      <Group justify="flex-end">
        {run.isRunning ? (
          <Button key="stop" variant="default" onClick={run.stop}>
            {t("channels.bulk.stop")}
          </Button>
        ) : (
          <Button key="close" onClick={onClose}>
            {t("ui.close")}
          </Button>
        )}
      </Group>
    </Stack>
  );
}
