// One call from its first byte in to its charge: what was asked, every try, what was used and paid.

import { Alert, Button, Code, Group, SimpleGrid, Stack, Text } from "@mantine/core";
import { IconAlertTriangle, IconMessage } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import type { TFunction } from "i18next";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { CopyButton } from "@/ui/CopyButton";
import { Count } from "@/ui/Count";
import { Fact } from "@/ui/Fact";
import { Money, Unknown } from "@/ui/Money";
import { StatusBadge } from "@/ui/StatusBadge";
import { Time } from "@/ui/Time";
import { AttemptTimeline } from "./AttemptTimeline";
import type { Call } from "./api";
import { curlOf, replaySearch, statusTone } from "./callFacts";
import { PriceLines } from "./PriceLines";
import { Section } from "./Section";

const MS = { style: "unit", unit: "millisecond", unitDisplay: "short" } as const;

export function CallDetail({ call }: { call: Call }) {
  const { t } = useTranslation();
  return (
    <Stack gap="lg">
      <Group gap="xs" wrap="nowrap">
        <StatusBadge tone={statusTone(call.status)} label={String(call.status)} />
        <Code style={{ overflowWrap: "anywhere" }}>{call.request_id}</Code>
        <CopyButton text={call.request_id} label={t("logs.requestId")} />
      </Group>
      {call.error_message !== null && <Failure of={call} />}
      <Facts of={call} />
      <Section title={t("logs.path")}>
        <Path of={call} />
      </Section>
      <Section title={t("logs.attempts")}>
        <AttemptTimeline of={call} />
      </Section>
      <Section title={t("logs.cost")}>
        <PriceLines of={call} />
      </Section>
      <Section title={t("logs.bodies")}>
        <Text size="sm">{t("logs.bodiesOff")}</Text>
      </Section>
      <Group gap="xs">
        <Button
          variant="default"
          size="xs"
          leftSection={<IconMessage size={15} />}
          component={Link}
          to="/console/playground"
          search={replaySearch(call) as never}
        >
          {t("logs.replay")}
        </Button>
        <Group gap={6}>
          <CopyButton text={curlOf(call, window.location.origin)} label={t("logs.curl")} withText />
          <Text size="xs" c="dimmed">
            {t("logs.curlText")}
          </Text>
        </Group>
      </Group>
    </Stack>
  );
}

function Failure({ of }: { of: Call }) {
  return (
    <Alert
      color={of.status >= 500 ? "red" : "yellow"}
      variant="light"
      icon={<IconAlertTriangle />}
      title={of.error_cause}
    >
      <Text size="sm" style={{ overflowWrap: "anywhere" }}>
        {of.error_message}
      </Text>
    </Alert>
  );
}

function Facts({ of }: { of: Call }) {
  const { t } = useTranslation();
  return (
    <SimpleGrid cols={{ base: 2, xs: 3 }} spacing="md">
      <Fact label={t("logs.time")}>
        <Time at={of.created_at} precision="second" />
      </Fact>
      <Fact label={t("logs.user")}>{of.username ?? <Unknown />}</Fact>
      <Fact label={t("logs.key")}>{keyText(of, t("logs.playground"))}</Fact>
      <Fact label={t("logs.total")}>
        <Count value={of.total_ms} format={MS} />
      </Fact>
      <Fact label={t("logs.firstByte")}>
        <Count value={of.first_byte_ms} format={MS} reason={t("logs.noFirstByte")} />
      </Fact>
      <Fact label={t("logs.charge")}>
        <Money usd={of.charge_usd} />
      </Fact>
      <Fact label={t("logs.ip")}>{of.ip ?? <Unknown reason={t("logs.noIp")} />}</Fact>
      <Fact label={t("logs.source")}>{sourceText(of.source, t)}</Fact>
      <Fact label={t("logs.streaming")}>{t(of.stream ? "logs.streamed" : "logs.whole")}</Fact>
    </SimpleGrid>
  );
}

/** A source that this page does not know keeps its own name. */
function sourceText(source: string, t: TFunction): string {
  if (source === "playground") {
    return t("logs.playground");
  }
  return source === "api" ? t("logs.api") : source;
}

function keyText(of: Call, playground: string): ReactNode {
  return of.token_name ?? (of.source === "playground" ? playground : <Unknown />);
}

/** From the endpoint that was called to the model that answered. */
function Path({ of }: { of: Call }) {
  const { t } = useTranslation();
  const steps = [
    { label: t("logs.endpoint"), value: of.endpoint },
    { label: t("logs.asked"), value: of.model },
    { label: t("logs.channel"), value: of.channel },
    { label: t("logs.served"), value: of.upstream_model },
  ];
  return (
    <Group gap="xs" align="stretch">
      {steps.map(({ label, value }, index) => (
        <Group key={label} gap="xs" wrap="nowrap" miw={0}>
          {index > 0 && (
            <Text c="dimmed" aria-hidden>
              {"→"}
            </Text>
          )}
          <Fact label={label}>{value ?? <Unknown reason={t("logs.notReached")} />}</Fact>
        </Group>
      ))}
    </Group>
  );
}
