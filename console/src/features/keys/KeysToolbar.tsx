import { Group, SegmentedControl, Select } from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { useSession } from "@/session/session";
import { SearchField } from "@/ui/SearchField";
import { FilterBar } from "@/ui/table/FilterBar";
import type { WriteSearch } from "@/ui/useUrlState";
import type { KeysSearch } from "./search";

export interface KeysToolbarProps {
  search: KeysSearch;
  onChange: WriteSearch<KeysSearch>;
  /** Buttons at the end. */
  children: ReactNode;
}

/** What narrows the list. */
export function KeysToolbar({ search, onChange, children }: KeysToolbarProps) {
  const { t } = useTranslation();
  const { isAdministrator } = useSession();
  return (
    <FilterBar>
      <SearchField
        w={240}
        label={t("keys.search")}
        value={search.search ?? ""}
        onSearch={(text) => onChange({ search: text, p: undefined })}
      />
      <Select
        w={150}
        aria-label={t("keys.status")}
        placeholder={t("keys.anyStatus")}
        clearable
        data={[
          { value: "working", label: t("keys.state.working") },
          { value: "paused", label: t("keys.state.paused") },
        ]}
        value={search.status ?? null}
        onChange={(value) =>
          onChange({ status: (value ?? undefined) as KeysSearch["status"], p: undefined })
        }
      />
      {isAdministrator && (
        <SegmentedControl
          aria-label={t("keys.whose")}
          data={[
            { value: "own", label: t("keys.own") },
            { value: "all", label: t("keys.everybody") },
          ]}
          value={search.user_id === undefined ? "own" : "all"}
          onChange={(value) => onChange({ user_id: value === "all" ? 0 : undefined, p: undefined })}
        />
      )}
      <Group gap="xs" ms="auto">
        {children}
      </Group>
    </FilterBar>
  );
}
