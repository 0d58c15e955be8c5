// Which channels a call would try now, in order, and why not the others.

import { Autocomplete, Group, NumberInput, Select, Stack, Text } from "@mantine/core";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { DataRegion } from "@/ui/DataRegion";
import { useUrlState } from "@/ui/useUrlState";
import { coverageQuery, explainQuery, groupsQuery } from "./api";
import { ExplainResult } from "./ExplainResult";
import type { RoutingSearch } from "./RoutingPage";

const OPERATIONS = [
  "generate",
  "embed",
  "rerank",
  "moderate",
  "generate_image",
  "edit_image",
  "speak",
  "transcribe",
  "realtime",
];

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
      <Group gap="sm" align="flex-end" role="search" aria-label={t("routing.explain")}>
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
        <NumberInput
          label={t("routing.user")}
          min={1}
          hideControls
          w={110}
          value={filter.user_id ?? ""}
          onChange={(id) => setSearch({ user_id: typeof id === "number" ? id : undefined })}
        />
        <NumberInput
          label={t("routing.key")}
          min={1}
          hideControls
          w={110}
          value={filter.token_id ?? ""}
          onChange={(id) => setSearch({ token_id: typeof id === "number" ? id : undefined })}
        />
        <Select
          label={t("routing.operation")}
          data={OPERATIONS}
          value={filter.operation ?? "generate"}
          allowDeselect={false}
          onChange={(operation) =>
            setSearch({
              operation: operation === "generate" ? undefined : (operation ?? undefined),
            })
          }
          w={160}
        />
      </Group>
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
