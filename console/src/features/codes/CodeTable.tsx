import { Group, Select, Stack } from "@mantine/core";
import { IconTicket } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { everyPage } from "@/api/everyPage";
import { DataRegion } from "@/ui/DataRegion";
import { EmptyFirst } from "@/ui/EmptyFirst";
import { SearchField } from "@/ui/SearchField";
import { DataTable } from "@/ui/table/DataTable";
import { ListTools } from "@/ui/table/ListTools";
import { DEFAULT_PAGE_SIZE, PageControl } from "@/ui/table/PageControl";
import { useUrlState } from "@/ui/useUrlState";
import { codesQuery, codeTotalQuery, listCodes } from "./api";
import { codeColumns, STATE_TEXT } from "./codeColumns";
import { CODE_STATES, type CodesSearch, codesSearch } from "./search";

const SKELETON_HEIGHT = 360;
const NO_FILTER = { name: undefined, search: undefined, status: undefined, p: undefined };

/** All codes, newest first, or those of one batch. The codes themselves are not on record. */
export function CodeTable() {
  const { t } = useTranslation();
  const [{ name, search, status, p = 1, page_size = DEFAULT_PAGE_SIZE, hide }, setSearch] =
    useUrlState<CodesSearch>();
  const filter = { name, search, status };
  const isFiltered = Object.values(filter).some((value) => value !== undefined);
  const codes = useQuery(codesQuery(filter, p, page_size));
  const isNone = isFiltered && codes.data?.total === 0;
  const { data: total = 0 } = useQuery({ ...codeTotalQuery, enabled: isNone });
  const columns = codeColumns(t);
  return (
    <Stack gap="md">
      <Group justify="space-between" gap="sm">
        <CodeFilters />
        <Group gap="xs">
          <ListTools
            name="codes"
            columns={columns}
            hidden={hide}
            onHide={setSearch}
            rows={() => everyPage((page, size) => listCodes(filter, page, size))}
          />
        </Group>
      </Group>
      <DataRegion
        query={codes}
        skeletonHeight={SKELETON_HEIGHT}
        isEmpty={(list) => list.total === 0}
        filter={isFiltered ? { total, onClear: () => setSearch(NO_FILTER) } : undefined}
        emptyFirst={
          <EmptyFirst icon={IconTicket} title={t("codes.none")} text={t("codes.noneText")} />
        }
      >
        {(list) => (
          <Stack gap="sm">
            <DataTable
              label={t("codes.title")}
              columns={columns}
              rows={list.items}
              rowId={(code) => String(code.id)}
              hidden={hide}
            />
            <PageControl page={p} pageSize={page_size} total={list.total} onChange={setSearch} />
          </Stack>
        )}
      </DataRegion>
    </Stack>
  );
}

function CodeFilters() {
  const { t } = useTranslation();
  const [{ name, search, status }, setSearch] = useUrlState<CodesSearch>();
  return (
    <Group gap="xs">
      <SearchField
        label={t("codes.filter")}
        value={search ?? name ?? ""}
        onSearch={(text) => setSearch({ search: text, name: undefined, p: undefined })}
      />
      <Select
        w={160}
        clearable
        aria-label={t("codes.state")}
        placeholder={t("codes.anyState")}
        data={CODE_STATES.map((each) => ({ value: each as string, label: t(STATE_TEXT[each]) }))}
        value={status ?? null}
        onChange={(chosen) =>
          setSearch({ status: codesSearch({ status: chosen }).status, p: undefined })
        }
      />
    </Group>
  );
}
