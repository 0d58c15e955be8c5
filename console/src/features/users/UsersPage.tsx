import { Button, Group, Stack } from "@mantine/core";
import { IconFileImport, IconPlus, IconUsersGroup } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense } from "react";
import { useTranslation } from "react-i18next";
import { everyPage } from "@/api/everyPage";
import { DataRegion } from "@/ui/DataRegion";
import { DetailDrawer } from "@/ui/DetailDrawer";
import { PageHead } from "@/ui/PageHead";
import { RouterButton } from "@/ui/RouterButton";
import { DataTable } from "@/ui/table/DataTable";
import { ListTools } from "@/ui/table/ListTools";
import { DEFAULT_PAGE_SIZE, PageControl } from "@/ui/table/PageControl";
import { useSelection } from "@/ui/table/selection";
import { useUrlState } from "@/ui/useUrlState";
import { listUsers, type UserFilter, usersQuery, userTotalQuery } from "./api";
import { NewUserForm } from "./NewUserForm";
import type { UsersSearch } from "./search";
import { UserBulk } from "./UserBulk";
import { UserFilters } from "./UserFilters";
import { userColumns } from "./userColumns";

const SKELETON_HEIGHT = 420;

/** Needed now and then: loaded when it opens. */
const ImportUsers = lazy(() => import("./ImportUsers"));

/** Everybody with an account: search, filters, bulk acts, a drawer for a new one. */
export function UsersPage() {
  const { t } = useTranslation();
  const [search, setSearch] = useUrlState<UsersSearch>();
  return (
    <Stack gap="lg">
      <Group justify="space-between" align="flex-start">
        <PageHead title={t("users.title")} description={t("users.text")} />
        <Group gap="xs">
          <RouterButton
            to="/console/groups"
            variant="default"
            leftSection={<IconUsersGroup size={17} />}
          >
            {t("users.groups")}
          </RouterButton>
          <Button
            variant="default"
            leftSection={<IconFileImport size={17} />}
            onClick={() => setSearch({ open: "import" }, { push: true })}
          >
            {t("users.import")}
          </Button>
          <Button
            leftSection={<IconPlus size={17} />}
            onClick={() => setSearch({ open: "new" }, { push: true })}
          >
            {t("users.new")}
          </Button>
        </Group>
      </Group>
      <UserTable />
      <DetailDrawer
        isOpen={search.open === "new"}
        title={t("users.new")}
        onClose={() => setSearch({ open: undefined })}
      >
        <NewUserForm onDone={() => setSearch({ open: undefined })} />
      </DetailDrawer>
      <Suspense>
        {search.open === "import" && <ImportUsers onClose={() => setSearch({ open: undefined })} />}
      </Suspense>
    </Stack>
  );
}

function filterOf(search: UsersSearch): UserFilter {
  return {
    search: search.search,
    role: search.role === undefined ? undefined : Number(search.role),
    status: search.status === undefined ? undefined : Number(search.status),
    group: search.group,
    sort: search.sort,
  };
}

const NO_FILTER = { search: undefined, role: undefined, status: undefined, group: undefined };

function UserTable() {
  const { t } = useTranslation();
  const [search, setSearch] = useUrlState<UsersSearch>();
  const { p = 1, page_size = DEFAULT_PAGE_SIZE, hide } = search;
  const filter = filterOf(search);
  const isFiltered = Object.values({ ...filter, sort: undefined }).some(
    (value) => value !== undefined,
  );
  const users = useQuery(usersQuery(filter, p, page_size));
  const isNone = isFiltered && users.data?.total === 0;
  const { data: total = 0 } = useQuery({ ...userTotalQuery, enabled: isNone });
  const selection = useSelection();
  const columns = userColumns(t);
  return (
    <Stack gap="md">
      <Group justify="space-between" align="flex-end" gap="sm">
        <UserFilters />
        <Group gap="xs">
          <ListTools
            name="users"
            columns={columns}
            hidden={hide}
            onHide={setSearch}
            rows={() => everyPage((page, size) => listUsers(filter, page, size))}
          />
        </Group>
      </Group>
      <UserBulk selection={selection} filter={filter} total={users.data?.total} />
      <DataRegion
        query={users}
        skeletonHeight={SKELETON_HEIGHT}
        isEmpty={(list) => list.total === 0}
        filter={isFiltered ? { total, onClear: () => setSearch(NO_FILTER) } : undefined}
      >
        {(list) => (
          <Stack gap="sm">
            <DataTable
              label={t("users.title")}
              columns={columns}
              rows={list.items}
              rowId={(user) => String(user.id)}
              hidden={hide}
              sort={search.sort}
              onSort={(sort) => setSearch({ sort, p: undefined })}
              selection={selection}
            />
            <PageControl page={p} pageSize={page_size} total={list.total} onChange={setSearch} />
          </Stack>
        )}
      </DataRegion>
    </Stack>
  );
}
