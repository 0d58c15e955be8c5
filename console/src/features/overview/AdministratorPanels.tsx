import { Group, SimpleGrid, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Count } from "@/ui/Count";
import { DataRegion } from "@/ui/DataRegion";
import { Money } from "@/ui/Money";
import { RouterAnchor } from "@/ui/RouterAnchor";
import { StatusBadge, type Tone } from "@/ui/StatusBadge";
import { Time } from "@/ui/Time";
import { channelsQuery, coverageQuery, errorsQuery, topQuery } from "./api";
import classes from "./overview.module.css";
import { Panel } from "./Panel";

const HEIGHT = 140;
const SHOWN = 6;

/** What administrators look at first: what is not served, what fails, who and what costs most. */
export function AdministratorPanels() {
  return (
    <>
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        <Channels />
        {/* Two short ones beside the long one, so that no card is half empty. */}
        <Stack>
          <Unserved />
          <Errors />
        </Stack>
      </SimpleGrid>
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        <Top by="model" />
        <Top by="user" />
      </SimpleGrid>
    </>
  );
}

function Unserved() {
  const { t } = useTranslation();
  const coverage = useQuery(coverageQuery);
  return (
    <Panel
      title={t("overview.unserved")}
      aside={
        <RouterAnchor to="/console/routing" size="sm">
          {t("nav.routing")}
        </RouterAnchor>
      }
    >
      <DataRegion query={coverage} skeletonHeight={HEIGHT}>
        {(rows) => {
          const missing = rows.filter(({ healthy }) => healthy === 0);
          if (missing.length === 0) {
            return <Text size="sm">{t("overview.allServed", { count: rows.length })}</Text>;
          }
          return (
            <ul className={classes.facts}>
              {missing.slice(0, SHOWN).map(({ model, group, channels }) => (
                <li key={`${model} ${group}`}>
                  <RouterAnchor
                    to="/console/routing"
                    search={{ model, group }}
                    size="sm"
                    className={classes.name}
                    title={model}
                  >
                    {model}
                  </RouterAnchor>
                  <Text size="xs" c="dimmed">
                    {t("overview.noneOf", { group, count: channels })}
                  </Text>
                </li>
              ))}
            </ul>
          );
        }}
      </DataRegion>
    </Panel>
  );
}

const STATES = {
  on: { tone: "good", text: "overview.state.on" },
  draining: { tone: "busy", text: "overview.state.draining" },
  paused: { tone: "warning", text: "overview.state.paused" },
  off: { tone: "idle", text: "overview.state.off" },
} as const satisfies Record<string, { tone: Tone; text: string }>;

function Channels() {
  const { t } = useTranslation();
  const channels = useQuery(channelsQuery);
  return (
    <Panel
      title={t("overview.channels")}
      aside={
        <RouterAnchor to="/console/channels" size="sm">
          {t("nav.channels")}
        </RouterAnchor>
      }
    >
      <DataRegion
        query={channels}
        skeletonHeight={HEIGHT}
        isEmpty={({ total }) => total === 0}
        emptyFirst={<Text size="sm">{t("overview.noChannels")}</Text>}
      >
        {({ items }) => (
          <ul className={classes.facts}>
            {[...items]
              .sort(worstFirst)
              .slice(0, SHOWN)
              .map((channel) => {
                const state = STATES[channel.state as keyof typeof STATES] ?? STATES.off;
                return (
                  <li key={channel.id}>
                    <RouterAnchor
                      to="/console/channels/$id"
                      params={{ id: String(channel.id) }}
                      size="sm"
                      className={classes.name}
                      title={channel.name}
                    >
                      {channel.name}
                    </RouterAnchor>
                    <Group gap="xs" wrap="nowrap">
                      <Text size="xs" c="dimmed" component="span">
                        {t("overview.failing")}{" "}
                        <Count
                          value={channel.health.error_rate}
                          format={{ style: "percent" }}
                          reason={t("overview.noTries")}
                        />
                      </Text>
                      <StatusBadge
                        tone={state.tone}
                        label={t(state.text)}
                        reason={channel.state_reason}
                      />
                    </Group>
                  </li>
                );
              })}
          </ul>
        )}
      </DataRegion>
    </Panel>
  );
}

interface Healthy {
  state: string;
  health: { error_rate?: number | null };
}

/** Channels that are not on, then those that fail most. */
function worstFirst(a: Healthy, b: Healthy): number {
  const weight = ({ state, health }: Healthy) =>
    (state === "on" ? 0 : 2) + (health.error_rate ?? 0);
  return weight(b) - weight(a);
}

function Top({ by }: { by: "model" | "user" }) {
  const { t } = useTranslation();
  const top = useQuery(topQuery(by));
  return (
    <Panel title={t(by === "model" ? "overview.topModels" : "overview.topUsers")}>
      <DataRegion
        query={top}
        skeletonHeight={HEIGHT}
        isEmpty={(items) => items.length === 0}
        emptyFirst={<Text size="sm">{t("overview.noCallsDay")}</Text>}
      >
        {(items) => (
          <ul className={classes.facts}>
            {items.map(({ key, name, sums }) => (
              <li key={key}>
                <RouterAnchor
                  to="/console/usage"
                  search={by === "model" ? { model: key } : { user_id: Number(key) }}
                  size="sm"
                  className={classes.name}
                  title={name ?? key}
                >
                  {name ?? key}
                </RouterAnchor>
                <Text size="sm" c="dimmed" component="span">
                  {t("overview.calls", { count: sums.requests })} <Money usd={sums.charge_usd} />
                </Text>
              </li>
            ))}
          </ul>
        )}
      </DataRegion>
    </Panel>
  );
}

function Errors() {
  const { t } = useTranslation();
  const errors = useQuery(errorsQuery);
  return (
    <Panel title={t("overview.latestErrors")}>
      <DataRegion
        query={errors}
        skeletonHeight={HEIGHT}
        isEmpty={(causes) => causes.length === 0}
        emptyFirst={<Text size="sm">{t("overview.noErrors")}</Text>}
      >
        {(causes) => (
          <ul className={classes.facts}>
            {causes.slice(0, SHOWN).map(({ error_cause, calls, last_at }) => (
              <li key={error_cause}>
                <RouterAnchor
                  to="/console/logs"
                  search={{ error_cause }}
                  size="sm"
                  className={classes.name}
                >
                  {error_cause}
                </RouterAnchor>
                <Text size="sm" c="dimmed" component="span">
                  {t("overview.calls", { count: calls })} <Time at={last_at} />
                </Text>
              </li>
            ))}
          </ul>
        )}
      </DataRegion>
    </Panel>
  );
}
