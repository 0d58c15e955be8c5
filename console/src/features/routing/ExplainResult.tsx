import { Alert, Group, List, Paper, Progress, Stack, Text, Title } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { RouterButton } from "@/ui/RouterButton";
import { Time } from "@/ui/Time";
import type { Explanation } from "./api";
import { ChannelLink } from "./ChannelLink";
import { Fallbacks } from "./Fallbacks";
import { REASON_TEXT, SAYS_ALL } from "./reasons";

type Tier = Explanation["tiers"][number];
type Excluded = Explanation["excluded"][number];

export function ExplainResult({ explanation }: { explanation: Explanation }) {
  const { t } = useTranslation();
  const { tiers, excluded, model, group } = explanation;
  // Channels that have nothing to do with the model are counted, not listed.
  const near = excluded.filter(({ reason }) => reason !== "model");
  const far = excluded.length - near.length;
  const isBadlyCovered = tiers.flatMap(({ candidates }) => candidates).length < 2;
  return (
    <Stack gap="md">
      {tiers.length === 0 && (
        <Alert color="red" variant="light" icon={<IconAlertTriangle />} role="alert">
          <Stack gap="xs" align="flex-start">
            {t("routing.nobody", { model, group })}
            <RouterButton to="/console/channels/new" size="xs" variant="default">
              {t("palette.newChannel")}
            </RouterButton>
          </Stack>
        </Alert>
      )}
      <Stack component="ol" gap="md" m={0} p={0} aria-label={t("routing.tried")}>
        {tiers.map((tier, index) => (
          <TierCard key={tier.priority} tier={tier} number={index + 1} />
        ))}
      </Stack>
      {near.length > 0 && (
        <Stack gap="xs">
          <Title order={2} size="h4">
            {t("routing.out")}
          </Title>
          <List listStyleType="none" spacing="xs" aria-label={t("routing.out")}>
            {near.map((channel) => (
              <Out key={channel.channel_id} channel={channel} />
            ))}
          </List>
        </Stack>
      )}
      {isBadlyCovered && <Fallbacks model={model} group={group} />}
      {far > 0 && (
        <Text size="sm" c="dimmed">
          {t("routing.unrelated", { count: far })}
        </Text>
      )}
    </Stack>
  );
}

function TierCard({ tier, number }: { tier: Tier; number: number }) {
  const { t, i18n } = useTranslation();
  const percent = new Intl.NumberFormat(i18n.language, { style: "percent" });
  return (
    <Paper component="li" withBorder p="md" style={{ listStyle: "none" }}>
      <Stack gap="sm">
        <Text fw={600}>{t("routing.tier", { number, priority: tier.priority })}</Text>
        {tier.candidates.map((candidate) => (
          <div key={candidate.channel_id}>
            <Group justify="space-between" wrap="nowrap">
              <ChannelLink id={candidate.channel_id} name={candidate.name} />
              <Text size="sm" style={{ fontVariantNumeric: "tabular-nums" }}>
                {percent.format(candidate.share)}
              </Text>
            </Group>
            <Progress
              value={candidate.share * 100}
              size="sm"
              aria-label={t("routing.share", { name: candidate.name })}
            />
            <Text size="xs" c="dimmed" style={{ overflowWrap: "anywhere" }}>
              {t("routing.asks", { model: candidate.upstream_model, weight: candidate.weight })}
              {candidate.latency_ms !== null &&
                ` · ${t("routing.latency", { count: Math.round(candidate.latency_ms) })}`}
              {` · ${t("routing.inFlight", { count: candidate.in_flight })}`}
              {candidate.is_probe && ` · ${t("routing.probe")}`}
              {candidate.lacks_dialects.length > 0 &&
                ` · ${t("routing.lacksDialects", { names: candidate.lacks_dialects.join(", ") })}`}
            </Text>
          </div>
        ))}
      </Stack>
    </Paper>
  );
}

function Out({ channel }: { channel: Excluded }) {
  const { t } = useTranslation();
  return (
    <List.Item>
      <ChannelLink id={channel.channel_id} name={channel.name} />
      <Text size="sm" c="dimmed" style={{ overflowWrap: "anywhere" }}>
        {t(REASON_TEXT[channel.reason])}
        {channel.detail !== null && !SAYS_ALL.has(channel.reason) && `: ${channel.detail}`}
        {channel.until !== null && (
          <>
            {" · "}
            {t("routing.until")} <Time at={channel.until} precision="second" />
          </>
        )}
      </Text>
    </List.Item>
  );
}
