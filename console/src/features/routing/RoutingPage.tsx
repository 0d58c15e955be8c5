// How calls find their channels: what is badly covered, why a call goes where it goes, and the map.

import { Stack, Tabs } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { PageHead } from "@/ui/PageHead";
import { useUrlState } from "@/ui/useUrlState";
import type { ExplainFilter } from "./api";
import { CoverageWarnings } from "./CoverageWarnings";
import { Explain } from "./Explain";
import { RouteMap } from "./RouteMap";

export interface RoutingSearch extends ExplainFilter {
  tab?: "map";
  /** Narrows the map. */
  q?: string;
}

export function RoutingPage() {
  const { t } = useTranslation();
  const [{ tab }, setSearch] = useUrlState<RoutingSearch>();
  return (
    <Stack gap="lg">
      <PageHead title={t("routing.title")} description={t("routing.text")} />
      <CoverageWarnings
        onExplain={(model) => setSearch({ tab: undefined, model }, { push: true })}
      />
      <Tabs
        value={tab ?? "explain"}
        keepMounted={false}
        onChange={(next) => setSearch({ tab: next === "map" ? "map" : undefined })}
      >
        <Tabs.List mb="md">
          <Tabs.Tab value="explain">{t("routing.explain")}</Tabs.Tab>
          <Tabs.Tab value="map">{t("routing.map")}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="explain">
          <Explain />
        </Tabs.Panel>
        <Tabs.Panel value="map">
          <RouteMap />
        </Tabs.Panel>
      </Tabs>
    </Stack>
  );
}
