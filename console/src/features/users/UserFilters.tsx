import { Select } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { SearchField } from "@/ui/SearchField";
import { FilterBar } from "@/ui/table/FilterBar";
import { useUrlState } from "@/ui/useUrlState";
import { groupNamesQuery } from "./api";
import { ROLES, roleText } from "./roles";
import { type UsersSearch, usersSearch } from "./search";

/** What narrows the list; every change starts again at the first page. */
export function UserFilters() {
  const { t } = useTranslation();
  const [search, setSearch] = useUrlState<UsersSearch>();
  const { data: groups = [] } = useQuery(groupNamesQuery);
  return (
    <FilterBar>
      <SearchField
        label={t("users.search")}
        value={search.search ?? ""}
        onSearch={(text) => setSearch({ search: text, p: undefined })}
      />
      <Select
        w={150}
        clearable
        aria-label={t("users.column.role")}
        placeholder={t("users.anyRole")}
        data={ROLES.map((role) => ({ value: String(role), label: t(roleText(role)) }))}
        value={search.role ?? null}
        onChange={(role) => setSearch({ role: usersSearch({ role }).role, p: undefined })}
      />
      <Select
        w={140}
        clearable
        aria-label={t("users.column.status")}
        placeholder={t("users.anyStatus")}
        data={[
          { value: "1", label: t("users.enabled") },
          { value: "2", label: t("users.disabled") },
        ]}
        value={search.status ?? null}
        onChange={(status) => setSearch({ status: status ?? undefined, p: undefined })}
      />
      <Select
        w={160}
        clearable
        searchable
        aria-label={t("users.column.group")}
        placeholder={t("users.anyGroup")}
        data={groups}
        value={search.group ?? null}
        onChange={(group) => setSearch({ group: group ?? undefined, p: undefined })}
      />
    </FilterBar>
  );
}
