import { Select, TextInput } from "@mantine/core";
import { IconSearch } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useStateName } from "@/records/ChannelState";
import { FilterBar } from "@/ui/table/FilterBar";
import { type ChannelFilter, providersQuery, type SettableState } from "./api";

const STATES: readonly SettableState[] = ["on", "draining", "off"];

export interface ChannelFiltersProps {
  filter: ChannelFilter;
  onChange: (patch: { [K in keyof ChannelFilter]?: ChannelFilter[K] | undefined }) => void;
}

/** What narrows the list; all of it lives in the address. */
export function ChannelFilters({ filter, onChange }: ChannelFiltersProps) {
  const { t } = useTranslation();
  const stateName = useStateName();
  const providers = useQuery(providersQuery);
  return (
    <FilterBar role="search" aria-label={t("channels.filter.label")}>
      <TextInput
        aria-label={t("channels.filter.search")}
        placeholder={t("channels.filter.search")}
        leftSection={<IconSearch size={16} />}
        type="search"
        value={filter.search ?? ""}
        onChange={(event) => onChange({ search: event.currentTarget.value })}
        style={{ flex: "1 1 11rem" }}
      />
      <TextInput
        aria-label={t("channels.filter.model")}
        placeholder={t("channels.filter.model")}
        value={filter.model ?? ""}
        onChange={(event) => onChange({ model: event.currentTarget.value })}
        style={{ flex: "1 1 9rem" }}
      />
      <TextInput
        aria-label={t("channels.filter.tag")}
        placeholder={t("channels.filter.tag")}
        value={filter.tag ?? ""}
        onChange={(event) => onChange({ tag: event.currentTarget.value })}
        style={{ flex: "1 1 7rem" }}
      />
      <Select
        aria-label={t("channels.field.type")}
        placeholder={t("channels.field.type")}
        data={(providers.data ?? []).map(({ id, label }) => ({ value: id, label }))}
        value={filter.type ?? null}
        onChange={(type) => onChange({ type: type ?? undefined })}
        searchable
        clearable
        style={{ flex: "1 1 9rem" }}
      />
      <Select
        aria-label={t("channels.field.state")}
        placeholder={t("channels.field.state")}
        data={STATES.map((state) => ({ value: state, label: stateName(state) }))}
        value={filter.state ?? null}
        onChange={(state) => onChange({ state: (state as SettableState | null) ?? undefined })}
        clearable
        style={{ flex: "1 1 7rem" }}
      />
    </FilterBar>
  );
}
