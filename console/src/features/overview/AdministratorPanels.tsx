import { Group, SimpleGrid, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { ChannelState } from "@/records/ChannelState";
import { Count } from "@/ui/Count";
import { Money } from "@/ui/Money";
import { RouterAnchor } from "@/ui/RouterAnchor";
import { Time } from "@/ui/Time";
import { channelsQuery, coverageQuery, errorsQuery, topQuery } from "./api";
import { ListPanel, someOf } from "./ListPanel";
import classes from "./overview.module.css";

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
  return (
    <ListPanel
      title={t("overview.unserved")}
      aside={
        <RouterAnchor to="/console/routing" size="sm">
          {t("nav.routing")}
        </RouterAnchor>
      }
      query={useQuery(coverageQuery)}
      itemsOf={(rows) => rows.filter(({ healthy }) => healthy === 0).slice(0, SHOWN)}
      none={(rows) =>
        t("overview.allServed", { count: new Set(rows.map(({ model }) => model)).size })
      }
    >
      {({ model, group, channels, on_trial }) => (
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
            {on_trial > 0
              ? t("overview.onTrial", { group })
              : t("overview.noneOf", { group, count: channels })}
          </Text>
        </li>
      )}
    </ListPanel>
  );
}

function Channels() {
  const { t } = useTranslation();
  return (
    <ListPanel
      title={t("overview.channels")}
      aside={
        <RouterAnchor to="/console/channels" size="sm">
          {t("nav.channels")}
        </RouterAnchor>
      }
      query={useQuery(channelsQuery)}
      itemsOf={({ items }) => someOf([...items].sort(worstFirst).slice(0, SHOWN))}
      never={t("overview.noChannels")}
    >
      {(channel) => (
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
            <ChannelState channel={channel} />
          </Group>
        </li>
      )}
    </ListPanel>
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
  return (
    <ListPanel
      title={t(by === "model" ? "overview.topModels" : "overview.topUsers")}
      query={useQuery(topQuery(by))}
      itemsOf={(items) => someOf(items)}
      never={t("overview.noCallsDay")}
    >
      {({ key, name, sums }) => (
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
      )}
    </ListPanel>
  );
}

function Errors() {
  const { t } = useTranslation();
  return (
    <ListPanel
      title={t("overview.latestErrors")}
      query={useQuery(errorsQuery)}
      itemsOf={(causes) => someOf(causes.slice(0, SHOWN))}
      never={t("overview.noErrors")}
    >
      {({ error_cause, calls, last_at }) => (
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
      )}
    </ListPanel>
  );
}
