import { Button, Skeleton, Stack } from "@mantine/core";
import { IconChartBar } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { lazy, Suspense, useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { useSession } from "@/session/session";
import { EmptyFirst } from "@/ui/EmptyFirst";
import { PageHead } from "@/ui/PageHead";
import { useUrlState } from "@/ui/useUrlState";
import { WhenNear } from "@/ui/WhenNear";
import { type Question, seriesQuery, summaryQuery } from "./api";
import { Charts } from "./Charts";
import { rangeOf } from "./range";
import { SummaryTiles } from "./SummaryTiles";
import { filterOf, type Group, type UsageSearch } from "./search";
import { UsageControls } from "./UsageControls";

// The table needs a library of its own, next to that of the charts.
const Breakdown = lazy(() => import("./Breakdown"));
const BREAKDOWN_HEIGHT = 240;

/** What calls cost, how many there were, how long they took, and of whom. */
export function UsagePage() {
  const { t } = useTranslation();
  const { isAdministrator } = useSession();
  const [search] = useUrlState<UsageSearch>();
  // The range ends where the page was opened or refreshed, so that all figures are of one moment.
  const [now, setNow] = useState(() => Date.now());
  const question = useMemo(
    (): Question => ({
      range: rangeOf(search, now),
      scope: isAdministrator && search.scope === undefined ? "all" : "self",
      filter: filterOf(search),
    }),
    [search, now, isAdministrator],
  );
  const by = groupOf(search, isAdministrator);
  const summary = useQuery(summaryQuery(question));
  const areChartsThere = useQuery(seriesQuery(question, by)).data !== undefined;
  const isEmpty = summary.data?.current.requests === 0 && summary.data.previous.requests === 0;
  return (
    <Stack gap="lg">
      <PageHead title={t("usage.title")} description={t("usage.text")} />
      <UsageControls by={by} onRefresh={() => setNow(Date.now())} />
      <SummaryTiles question={question} />
      {isEmpty ? (
        <EmptyFirst
          icon={IconChartBar}
          title={t("usage.emptyTitle")}
          text={t("usage.emptyText")}
          action={
            <Button component={Link} to="/console/connect">
              {t("usage.connect")}
            </Button>
          }
        />
      ) : (
        <>
          <Charts question={question} by={by} />
          {/* Before the charts have their height everything is near. */}
          {areChartsThere && (
            <WhenNear height={BREAKDOWN_HEIGHT}>
              <Suspense fallback={<Skeleton height={BREAKDOWN_HEIGHT} />}>
                <Breakdown question={question} by={by} />
              </Suspense>
            </WhenNear>
          )}
        </>
      )}
    </Stack>
  );
}

/** Users do not see sums by user or channel. */
function groupOf({ by = "model" }: UsageSearch, isAdministrator: boolean): Group {
  return !isAdministrator && (by === "user" || by === "channel") ? "model" : by;
}
