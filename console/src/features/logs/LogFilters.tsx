// What narrows the log. The common filters are always in view; the rest folds away until one is set.

import { Button, Collapse, Select, SimpleGrid, Stack } from "@mantine/core";
import { IconAdjustmentsHorizontal, IconX } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { FilterBar } from "@/ui/table/FilterBar";
import type { WriteSearch } from "@/ui/useUrlState";
import { modelChoicesQuery, type Scope } from "./api";
import { CommitInput } from "./CommitInput";
import { MoreFilters } from "./MoreFilters";
import { FILTERS, filterOf, type LogsSearch, withoutFilters } from "./search";

export interface LogFiltersProps {
  search: LogsSearch;
  scope: Scope;
  onChange: WriteSearch<LogsSearch>;
}

const ALWAYS_SHOWN: readonly string[] = ["request_id", "model", "status_class"];

export function LogFilters({ search, scope, onChange }: LogFiltersProps) {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(() => hasMore(search));
  const models = useQuery(modelChoicesQuery);
  // A filter is a step that "back" returns from; it begins the list anew.
  const set = (patch: LogsSearch | { [K in keyof LogsSearch]?: LogsSearch[K] | undefined }) =>
    onChange({ ...patch, cursor: undefined }, { push: true });
  const count = Object.keys(filterOf(search)).length;
  return (
    <Stack gap="sm">
      <FilterBar>
        <CommitInput
          label={t("logs.requestId")}
          value={search.request_id}
          onCommit={(request_id) => set({ request_id })}
        />
        <Select
          label={t("logs.model")}
          size="sm"
          searchable
          clearable
          data={withChosen(models.data ?? [], search.model)}
          value={search.model ?? null}
          onChange={(model) => set({ model: model ?? undefined })}
        />
        <Select
          label={t("logs.outcome")}
          size="sm"
          w={170}
          clearable
          data={[
            { value: "success", label: t("logs.class.success") },
            { value: "failure", label: t("logs.class.failure") },
            { value: "client_error", label: t("logs.class.client") },
            { value: "server_error", label: t("logs.class.server") },
          ]}
          value={search.status_class ?? null}
          onChange={(value) =>
            set({ status_class: (value ?? undefined) as LogsSearch["status_class"] })
          }
        />
        <Button
          variant="default"
          leftSection={<IconAdjustmentsHorizontal size={16} />}
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        >
          {t("logs.moreFilters")}
        </Button>
        {count > 0 && (
          <Button
            variant="subtle"
            leftSection={<IconX size={16} />}
            onClick={() => onChange(withoutFilters(), { push: true })}
          >
            {t("logs.clear", { number: count })}
          </Button>
        )}
      </FilterBar>
      <Collapse expanded={isOpen}>
        <SimpleGrid cols={{ base: 1, xs: 2, md: 4 }} spacing="sm">
          <MoreFilters search={search} scope={scope} onChange={set} />
        </SimpleGrid>
      </Collapse>
    </Stack>
  );
}

function hasMore(search: LogsSearch): boolean {
  return FILTERS.some((name) => search[name] !== undefined && !ALWAYS_SHOWN.includes(name));
}

function withChosen(choices: readonly string[], chosen: string | undefined): string[] {
  return [...new Set([...choices, ...(chosen === undefined ? [] : [chosen])])];
}
