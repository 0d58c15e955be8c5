import { Code, Group, Stack, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { RouterAnchor } from "@/ui/RouterAnchor";
import { SectionCard } from "@/ui/SectionCard";
import { Time } from "@/ui/Time";
import type { IncidentDetail } from "./api";

type Cause = IncidentDetail["causes"][number];

/** What upstreams said, alike together, with the last words of each. */
export function Causes({ causes }: { causes: readonly Cause[] }) {
  const { t } = useTranslation();
  if (causes.length === 0) {
    return null;
  }
  return (
    <SectionCard title={t("incidents.causes")} text={t("incidents.causesText")}>
      <Stack component="ul" gap="md" m={0} p={0} style={{ listStyle: "none" }}>
        {causes.map((cause) => (
          <CauseItem key={`${cause.channel_id} ${cause.kind} ${cause.status}`} cause={cause} />
        ))}
      </Stack>
    </SectionCard>
  );
}

function CauseItem({ cause }: { cause: Cause }) {
  const { t } = useTranslation();
  const { channel, channel_id, kind, status, tries, key_indexes, sample, request_id } = cause;
  const keys = key_indexes.map((index) => index + 1);
  return (
    <Stack component="li" gap={4}>
      <Group justify="space-between" gap="xs">
        <Text size="sm" fw={600} style={{ overflowWrap: "anywhere" }}>
          {status === null ? kind : `${status} ${kind}`}
        </Text>
        <Text size="sm" c="dimmed">
          {t("incidents.tries", { count: tries })}
        </Text>
      </Group>
      <Text size="xs" c="dimmed">
        <bdi>{channel ?? `#${channel_id}`}</bdi>
        {keys.length > 0 &&
          ` · ${t("incidents.keysUsed", { count: keys.length, keys: keys.join(", ") })}`}
        {" · "}
        <Time at={cause.last_at} precision="second" />
        {" · "}
        <RouterAnchor to="/console/logs/$requestId" params={{ requestId: request_id }} size="xs">
          {t("incidents.toCall")}
        </RouterAnchor>
      </Text>
      <Code block style={{ whiteSpace: "pre-wrap", overflowWrap: "anywhere" }}>
        {sample}
      </Code>
    </Stack>
  );
}
