import { Group, Select, TextInput } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { IconSearch } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { useUrlState } from "@/ui/useUrlState";
import { groupNamesQuery } from "./api";
import { ROLES, roleText } from "./roles";
import { type UsersSearch, usersSearch } from "./search";

const TYPING_MS = 250;

/** What narrows the list; every change starts again at the first page. */
export function UserFilters() {
  const { t } = useTranslation();
  const [search, setSearch] = useUrlState<UsersSearch>();
  const { data: groups = [] } = useQuery(groupNamesQuery);
  const [typed, setTyped] = useState(search.search ?? "");
  const apply = useDebouncedCallback(
    (value: string) => setSearch({ search: value.trim() || undefined, p: undefined }),
    TYPING_MS,
  );
  // The address may change under the field: "back", or "Clear filters".
  useEffect(() => setTyped(search.search ?? ""), [search.search]);
  return (
    <Group gap="xs">
      <TextInput
        type="search"
        aria-label={t("users.search")}
        placeholder={t("users.search")}
        leftSection={<IconSearch size={16} />}
        value={typed}
        onChange={(event) => {
          setTyped(event.currentTarget.value);
          apply(event.currentTarget.value);
        }}
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
    </Group>
  );
}
