import { NumberInput, TextInput } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { FilterBar } from "@/ui/table/FilterBar";
import type { AuditFilter } from "./api";

export interface AuditFiltersProps {
  filter: AuditFilter;
  onChange: (patch: { [K in keyof AuditFilter]?: AuditFilter[K] | undefined }) => void;
}

const WORDS = [
  ["action", "audit.action"],
  ["object_kind", "audit.kind"],
  ["object_id", "audit.id"],
] as const;

const DAYS = [
  ["from", "audit.from"],
  ["to", "audit.to"],
] as const;

/** By act, thing, person and days. */
export function AuditFilters({ filter, onChange }: AuditFiltersProps) {
  const { t } = useTranslation();
  return (
    <FilterBar role="search" aria-label={t("audit.filter")}>
      {WORDS.map(([name, text]) => (
        <TextInput
          key={name}
          label={t(text)}
          w={150}
          value={filter[name] ?? ""}
          onChange={(event) => onChange({ [name]: event.currentTarget.value })}
        />
      ))}
      <NumberInput
        label={t("audit.actorId")}
        w={110}
        min={1}
        hideControls
        value={filter.actor_id ?? ""}
        onChange={(id) => onChange({ actor_id: typeof id === "number" ? id : undefined })}
      />
      {DAYS.map(([name, text]) => (
        <TextInput
          key={name}
          type="date"
          label={t(text)}
          w={160}
          value={filter[name] ?? ""}
          onChange={(event) => onChange({ [name]: event.currentTarget.value })}
        />
      ))}
    </FilterBar>
  );
}
