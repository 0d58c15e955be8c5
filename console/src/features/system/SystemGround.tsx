// What the service runs on: its records, the disk under them, and its nodes.

import { Group, Paper, SimpleGrid, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { Schema } from "@/api/management";
import { formatBytes } from "@/lib/bytes";
import { useSession } from "@/session/session";
import { Age } from "@/ui/Age";
import { DataRegion } from "@/ui/DataRegion";
import { FactCard } from "@/ui/FactCard";
import { LaterTexts } from "@/ui/LaterTexts";
import { StatusBadge } from "@/ui/StatusBadge";
import { Time } from "@/ui/Time";
import { systemQuery } from "./api";
import { BackupCard } from "./BackupCard";

export function SystemGround() {
  const { isRoot } = useSession();
  const system = useQuery(systemQuery);
  return (
    <DataRegion query={system} skeletonHeight={240}>
      {(found) => (
        <Stack gap="md">
          <Records system={found} />
          {isRoot && (
            <LaterTexts>
              <BackupCard engine={found.database.engine} />
            </LaterTexts>
          )}
          <Nodes nodes={found.nodes} />
        </Stack>
      )}
    </DataRegion>
  );
}

function Records({ system: { database, disk } }: { system: Schema<"System"> }) {
  const { t, i18n } = useTranslation();
  const size = (bytes: number) => formatBytes(bytes, i18n.language);
  return (
    <SimpleGrid component="dl" m={0} cols={{ base: 2, md: 3 }}>
      <FactCard
        name={t("system.engine")}
        value={`${database.engine} ${database.version}`}
        reason={t("system.notReported")}
      />
      <FactCard
        name={t("system.records")}
        value={size(database.size_bytes)}
        reason={t("system.notReported")}
      />
      <FactCard
        name={t("system.diskFree")}
        value={
          disk === null
            ? undefined
            : t("system.diskOf", {
                free: size(disk.free_bytes),
                total: size(disk.total_bytes),
              })
        }
        reason={t("system.diskUnknown")}
      />
    </SimpleGrid>
  );
}

function Nodes({ nodes }: { nodes: readonly Schema<"Node">[] }) {
  const { t } = useTranslation();
  return (
    <Stack gap="xs">
      <Title order={2} size="h4">
        {t("system.nodes")}
      </Title>
      {nodes.length === 0 ? (
        <Text c="dimmed">{t("system.noNodes")}</Text>
      ) : (
        <Stack component="ul" gap="xs" m={0} p={0} aria-label={t("system.nodes")}>
          {nodes.map((node) => (
            <NodeCard key={node.id} node={node} />
          ))}
        </Stack>
      )}
    </Stack>
  );
}

function NodeCard({ node }: { node: Schema<"Node"> }) {
  const { t } = useTranslation();
  return (
    <Paper component="li" withBorder p="sm" style={{ listStyle: "none" }}>
      <Group justify="space-between" gap="xs">
        <Text size="sm" fw={600} style={{ overflowWrap: "anywhere" }}>
          {node.is_this ? t("system.thisNode", { id: node.id }) : node.id}
        </Text>
        <StatusBadge
          tone={node.is_alive ? "good" : "bad"}
          label={node.is_alive ? t("system.alive") : t("system.gone")}
          reason={node.has_journal ? t("system.journal") : null}
        />
      </Group>
      <Text size="xs" c="dimmed">
        {t("system.release", { release: node.version })}
        {" · "}
        {t("system.started")} <Time at={node.started_at} />
        {" · "}
        {t("system.seen")} <Age of={Date.parse(node.last_seen_at)} />
      </Text>
    </Paper>
  );
}
