import { Button, Stack } from "@mantine/core";
import { IconKey, IconPlus } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense, useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { everyPage } from "@/api/everyPage";
import { DataRegion } from "@/ui/DataRegion";
import { EmptyFirst } from "@/ui/EmptyFirst";
import { PageHead } from "@/ui/PageHead";
import { DataTable } from "@/ui/table/DataTable";
import { ListTools } from "@/ui/table/ListTools";
import { DEFAULT_PAGE_SIZE, PageControl } from "@/ui/table/PageControl";
import { SelectionBar } from "@/ui/table/SelectionBar";
import { useSelection } from "@/ui/table/selection";
import { useUrlState } from "@/ui/useUrlState";
import { type Key, keysQuery, keyTotalQuery, readKeys } from "./api";
import { BulkActions } from "./BulkActions";
import { KeysToolbar } from "./KeysToolbar";
import { keyColumns } from "./keyColumns";
import { RotateDialog } from "./RotateDialog";
import type { KeysSearch } from "./search";

/** The form is large and needed now and then: loaded when it opens. */
const NewKeyDrawer = lazy(() => import("./NewKeyDrawer"));

/** The list of API keys, and the drawer that makes new ones. */
export function KeysPage() {
  const { t } = useTranslation();
  const [search, setSearch] = useUrlState<KeysSearch>();
  const { p = 1, page_size = DEFAULT_PAGE_SIZE, hide } = search;
  const [rotating, setRotating] = useState<Key>();
  const columns = useMemo(() => keyColumns(t, setRotating), [t]);
  const keys = useQuery(keysQuery(search, p, page_size));
  const selection = useSelection();
  const newKey = (
    <Button
      leftSection={<IconPlus size={16} />}
      onClick={() => setSearch({ new: true }, { push: true })}
    >
      {t("keys.new")}
    </Button>
  );
  return (
    <Stack gap="lg">
      <PageHead title={t("keys.title")} description={t("keys.text")} actions={newKey} />
      <KeysToolbar search={search} onChange={setSearch}>
        <ListTools
          name="api-keys"
          columns={columns}
          hidden={hide}
          onHide={setSearch}
          rows={() => everyPage((page, size) => readKeys(search, page, size))}
        />
      </KeysToolbar>
      <SelectionBar selection={selection} total={keys.data?.total}>
        <BulkActions
          selection={selection}
          search={search}
          count={selection.isEverything ? (keys.data?.total ?? 0) : selection.ids.length}
        />
      </SelectionBar>
      <DataRegion
        query={keys}
        skeletonHeight={320}
        isEmpty={({ items }) => items.length === 0}
        emptyFirst={
          <EmptyFirst
            icon={IconKey}
            title={t("keys.emptyTitle")}
            text={t("keys.emptyText")}
            action={newKey}
          />
        }
        filter={useFilter(search, keys.data?.items.length === 0, setSearch)}
      >
        {({ items, total }) => (
          <Stack gap="md">
            <DataTable
              label={t("keys.title")}
              columns={columns}
              rows={items}
              rowId={({ id }) => String(id)}
              hidden={hide}
              sort={search.sort}
              onSort={(sort) => setSearch({ sort, p: undefined })}
              selection={selection}
            />
            <PageControl page={p} pageSize={page_size} total={total} onChange={setSearch} />
          </Stack>
        )}
      </DataRegion>
      <Suspense>
        {search.new === true && (
          <NewKeyDrawer
            copyOf={search.copy}
            onClose={() => setSearch({ new: undefined, copy: undefined })}
          />
        )}
      </Suspense>
      <RotateDialog of={rotating} onClose={() => setRotating(undefined)} />
    </Stack>
  );
}

/** The filter in words for an empty list: how many keys there are without it. */
function useFilter(
  search: KeysSearch,
  isEmpty: boolean,
  onChange: (patch: Partial<Record<keyof KeysSearch, undefined>>) => void,
) {
  const isFiltered = search.search !== undefined || search.status !== undefined;
  const total = useQuery({
    ...keyTotalQuery(search.user_id),
    enabled: isFiltered && isEmpty,
  });
  if (!isFiltered) {
    return undefined;
  }
  return {
    total: total.data ?? 0,
    onClear: () => onChange({ search: undefined, status: undefined, p: undefined }),
  };
}
