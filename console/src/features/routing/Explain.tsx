// Which channels a call would try now, in order, and why not the others.

import { Autocomplete, Select, Stack, Text } from "@mantine/core";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { DataRegion } from "@/ui/DataRegion";
import { FilterBar } from "@/ui/table/FilterBar";
import { useUrlState } from "@/ui/useUrlState";
import { coverageQuery, explainQuery, groupsQuery } from "./api";
import { CallerField } from "./CallerField";
import { ExplainResult } from "./ExplainResult";
import type { RoutingSearch } from "./RoutingPage";

/** Operations as the interface names them. */
const OPERATIONS = {
  generate: "routing.operation.generate",
  embed: "routing.operation.embed",
  rerank: "routing.operation.rerank",
  moderate: "routing.operation.moderate",
  generate_image: "routing.operation.generate_image",
  edit_image: "routing.operation.edit_image",
  speak: "routing.operation.speak",
  transcribe: "routing.operation.transcribe",
  realtime: "routing.operation.realtime",
} as const;

type Operation = keyof typeof OPERATIONS;

export function Explain() {
  const { t } = useTranslation();
  const [search, setSearch] = useUrlState<RoutingSearch>();
  const { tab: _tab, q: _q, ...filter } = search;
  const coverage = useQuery(coverageQuery);
  const groups = useQuery(groupsQuery);
  const explanation = useQuery({ ...explainQuery(filter), placeholderData: keepPreviousData });
  const models = [...new Set(coverage.data?.map(({ model }) => model) ?? [])];
  return (
    <Stack gap="md">
      <FilterBar role="search" aria-label={t("routing.explain")}>
        <Autocomplete
          label={t("routing.model")}
          data={models}
          limit={50}
          value={filter.model ?? ""}
          onChange={(model) => setSearch({ model })}
          style={{ flex: "1 1 14rem" }}
        />
        <Select
          label={t("routing.group")}
          placeholder={t("routing.byCaller")}
          data={groups.data?.map(({ name }) => name) ?? []}
          value={filter.group ?? null}
          clearable
          onChange={(group) => setSearch({ group: group ?? undefined })}
          w={150}
        />
        <CallerField
          kind="user"
          label={t("routing.user")}
          placeholder={t("routing.any")}
          nothingFound={t("routing.noCaller")}
          value={filter.user_id}
          onChange={(user_id) => setSearch({ user_id })}
        />
        <CallerField
          kind="key"
          label={t("routing.key")}
          placeholder={t("routing.any")}
          nothingFound={t("routing.noCaller")}
          value={filter.token_id}
          onChange={(token_id) => setSearch({ token_id })}
        />
        <Select
          label={t("routing.operation")}
          data={(Object.keys(OPERATIONS) as Operation[]).map((value) => ({
            value,
            label: t(OPERATIONS[value]),
          }))}
          value={filter.operation ?? "generate"}
          allowDeselect={false}
          onChange={(operation) =>
            setSearch({
              operation: operation === "generate" ? undefined : (operation ?? undefined),
            })
          }
          w={160}
        />
      </FilterBar>
      {filter.model === undefined ? (
        <Text c="dimmed">{t("routing.choose")}</Text>
      ) : (
        <DataRegion query={explanation} skeletonHeight={240}>
          {(found) => <ExplainResult explanation={found} />}
        </DataRegion>
      )}
    </Stack>
  );
}
