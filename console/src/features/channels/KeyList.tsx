// The keys of a channel, without the keys: how each is doing, its limits, and its replacement.

import { Button, Group, Stack, Text, VisuallyHidden } from "@mantine/core";
import { IconKey, IconPlus } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import type { TFunction } from "i18next";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { DataRegion } from "@/ui/DataRegion";
import { EmptyFirst } from "@/ui/EmptyFirst";
import { StatusBadge, type Tone } from "@/ui/StatusBadge";
import { Time } from "@/ui/Time";
import type { Column } from "@/ui/table/columns";
import { DataTable } from "@/ui/table/DataTable";
import { AccountBalance } from "./AccountBalance";
import { type Channel, type ChannelKey, keysQuery } from "./api";
import { type KeyAct, KeyDialog } from "./KeyDialog";

const STATE_TEXT = {
  on: "channels.key.on",
  paused: "channels.key.paused",
  cooling: "channels.key.cooling",
  unusable: "channels.key.unusable",
} as const;

const TONES: Readonly<Record<string, Tone>> = {
  on: "good",
  paused: "bad",
  cooling: "warning",
  unusable: "bad",
};

export function KeyList({ channel }: { channel: Channel }) {
  const { t } = useTranslation();
  const keys = useQuery(keysQuery(channel.id));
  const [act, setAct] = useState<KeyAct>();
  const isLocked = channel.is_declared || channel.type === "demo";
  const add = (
    <Button
      leftSection={<IconPlus size={16} />}
      disabled={isLocked}
      onClick={() => setAct({ kind: "add" })}
    >
      {t("channels.key.add")}
    </Button>
  );
  return (
    <Stack gap="md">
      <Group justify="space-between">
        <Text size="sm" c="dimmed" maw="60ch">
          {t("channels.key.text")}
        </Text>
        {add}
      </Group>
      <DataRegion
        query={keys}
        skeletonHeight={160}
        isEmpty={(all) => all.length === 0}
        emptyFirst={
          <EmptyFirst
            icon={IconKey}
            title={t("channels.keys.none")}
            text={
              channel.type === "demo" ? t("channels.new.noCredential") : t("channels.key.empty")
            }
          />
        }
      >
        {(all) => (
          <DataTable
            label={t("channels.keys")}
            columns={keyColumns(t, isLocked, setAct)}
            rows={all}
            rowId={({ index }) => String(index)}
          />
        )}
      </DataRegion>
      {!isLocked && channel.key_count > 0 && <AccountBalance channel={channel} />}
      <KeyDialog channel={channel} act={act} onClose={() => setAct(undefined)} />
    </Stack>
  );
}

function keyColumns(
  t: TFunction,
  isLocked: boolean,
  onAct: (act: KeyAct) => void,
): Column<ChannelKey>[] {
  const limit = (value: number | null) => (value === null ? t("channels.noLimit") : String(value));
  return [
    {
      accessorKey: "index",
      header: t("channels.key.number"),
      cell: ({ row: { original } }) => t("channels.key.name", { number: original.index + 1 }),
    },
    {
      id: "state",
      header: t("channels.field.state"),
      cell: ({ row: { original } }) => {
        const state = original.health?.state ?? "on";
        return (
          <StatusBadge
            tone={TONES[state] ?? "idle"}
            label={t(STATE_TEXT[state as keyof typeof STATE_TEXT] ?? STATE_TEXT.unusable)}
            reason={original.health?.reason}
          />
        );
      },
    },
    { accessorKey: "origin", header: t("channels.key.origin") },
    {
      id: "limits",
      header: t("channels.key.limits"),
      cell: ({ row: { original } }) =>
        hasLimits(original)
          ? [limit(original.rpm), limit(original.tpm), limit(original.concurrency)].join(" · ")
          : t("channels.noLimit"),
    },
    {
      accessorKey: "created_at",
      header: t("channels.key.given"),
      cell: ({ row: { original } }) => <Time at={original.created_at} />,
    },
    {
      id: "acts",
      header: () => <VisuallyHidden>{t("channels.acts")}</VisuallyHidden>,
      cell: ({ row: { original } }) => (
        <Group gap="xs" wrap="nowrap">
          {(["replace", "limits", "remove"] as const).map((kind) => (
            <Button
              key={kind}
              size="compact-xs"
              variant="default"
              disabled={isLocked}
              onClick={() => onAct({ kind, key: original })}
            >
              {t(ACT_TEXT[kind])}
            </Button>
          ))}
        </Group>
      ),
    },
  ];
}

function hasLimits({ rpm, tpm, concurrency }: ChannelKey): boolean {
  return [rpm, tpm, concurrency].some((limit) => limit !== null);
}

const ACT_TEXT = {
  replace: "channels.key.replace",
  limits: "channels.key.setLimits",
  remove: "channels.key.remove",
} as const;
