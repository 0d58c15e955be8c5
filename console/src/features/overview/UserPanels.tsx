import { Code, SimpleGrid, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { TFunction } from "i18next";
import { useTranslation } from "react-i18next";
import { useSession } from "@/session/session";
import { CopyButton } from "@/ui/CopyButton";
import { DataRegion } from "@/ui/DataRegion";
import { Money } from "@/ui/Money";
import { RouterAnchor } from "@/ui/RouterAnchor";
import { Time } from "@/ui/Time";
import { lastCallsQuery, ownKeysQuery, weekQuery } from "./api";
import { daysLeft } from "./figures";
import { attentionOf } from "./keys";
import { ListPanel, someOf } from "./ListPanel";
import classes from "./overview.module.css";
import { Panel } from "./Panel";

const YEAR = 365;
/** Statuses from here on are failures. */
const FIRST_ERROR = 400;

/** What whoever calls models looks at first: balance, keys that need attention, the last calls. */
export function UserPanels() {
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }}>
      <Balance />
      <Keys />
      <LastCalls />
      <Snippet />
    </SimpleGrid>
  );
}

function Balance() {
  const { t } = useTranslation();
  const { user } = useSession();
  const week = useQuery(weekQuery);
  return (
    <Panel title={t("frame.balance")}>
      <Text fz={26} fw={650} lh={1.2}>
        <Money usd={user.quota_usd} />
      </Text>
      <DataRegion query={week} skeletonHeight={24}>
        {(sums) => {
          const days = daysLeft(user.quota_usd, sums.charge_usd);
          return (
            <Text size="sm" c="dimmed">
              {paceText(t, days)}
            </Text>
          );
        }}
      </DataRegion>
    </Panel>
  );
}

/** Beyond a year the exact number of days says nothing. */
function paceText(t: TFunction, days: number | null): string {
  if (days === null) {
    return t("overview.noPace");
  }
  return days > YEAR ? t("overview.paceLong") : t("overview.pace", { count: days });
}

function Keys() {
  const { t } = useTranslation();
  return (
    <ListPanel
      title={t("overview.keys")}
      aside={
        <RouterAnchor to="/console/keys" size="sm">
          {t("nav.keys")}
        </RouterAnchor>
      }
      query={useQuery(ownKeysQuery)}
      itemsOf={({ items, total }) => (total === 0 ? undefined : attentionOf(items, Date.now()))}
      never={t("overview.noKeys")}
      none={() => t("overview.keysFine")}
    >
      {({ token, reason }) => (
        <li key={token.id}>
          <RouterAnchor
            to="/console/keys/$id"
            params={{ id: String(token.id) }}
            size="sm"
            className={classes.name}
          >
            {token.name}
          </RouterAnchor>
          <Text size="sm" c="dimmed" component="span">
            {reason === "expires" ? (
              <>
                {t("overview.expires")} <Time at={token.expires_at} precision="day" />
              </>
            ) : (
              t("overview.nearLimit")
            )}
          </Text>
        </li>
      )}
    </ListPanel>
  );
}

function LastCalls() {
  const { t } = useTranslation();
  return (
    <ListPanel
      title={t("overview.lastCalls")}
      aside={
        <RouterAnchor to="/console/logs" size="sm">
          {t("nav.logs")}
        </RouterAnchor>
      }
      query={useQuery(lastCallsQuery)}
      itemsOf={(items) => someOf(items)}
      never={t("overview.noOwnCalls")}
    >
      {(call) => (
        <li key={call.request_id}>
          <RouterAnchor
            to="/console/logs/$requestId"
            params={{ requestId: call.request_id }}
            size="sm"
            className={classes.name}
          >
            {call.model}
          </RouterAnchor>
          <Text size="sm" c="dimmed" component="span" className={classes.figures}>
            <Text
              span
              inherit
              c={call.status < FIRST_ERROR ? "dimmed" : "var(--mantine-color-error)"}
            >
              {call.status}
            </Text>
            <Money usd={call.charge_usd} />
            <Time at={call.created_at} />
          </Text>
        </li>
      )}
    </ListPanel>
  );
}

function Snippet() {
  const { t } = useTranslation();
  const snippet = `export OPENAI_BASE_URL=${location.origin}/v1\nexport OPENAI_API_KEY=$MODELGATE_API_KEY`;
  return (
    <Panel
      title={t("overview.snippet")}
      aside={<CopyButton text={snippet} label={t("overview.snippet")} />}
    >
      <Code block className={classes.snippet}>
        {snippet}
      </Code>
      <RouterAnchor to="/console/connect" size="sm">
        {t("overview.recipes")}
      </RouterAnchor>
    </Panel>
  );
}
