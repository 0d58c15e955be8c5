import { Group, Select, Stack, TextInput } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { IconSearch, IconTicket } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { everyPage } from "@/api/everyPage";
import { DataRegion } from "@/ui/DataRegion";
import { EmptyFirst } from "@/ui/EmptyFirst";
import { ColumnChooser } from "@/ui/table/ColumnChooser";
import { CsvButton } from "@/ui/table/CsvButton";
import { DataTable } from "@/ui/table/DataTable";
import { DEFAULT_PAGE_SIZE, PageControl } from "@/ui/table/PageControl";
import { useUrlState } from "@/ui/useUrlState";
import { codesQuery, codeTotalQuery, listCodes } from "./api";
import { codeColumns, STATE_TEXT } from "./codeColumns";
import { CODE_STATES, type CodesSearch, codesSearch } from "./search";

const SKELETON_HEIGHT = 360;
const TYPING_MS = 250;
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
          <ColumnChooser
            columns={columns}
            hidden={hide}
            onChange={(hidden) => setSearch({ hide: hidden })}
          />
          <CsvButton
            name="codes"
            columns={columns}
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
  const shown = search ?? name ?? "";
  const [typed, setTyped] = useState(shown);
  const apply = useDebouncedCallback(
    (value: string) =>
      setSearch({ search: value.trim() || undefined, name: undefined, p: undefined }),
    TYPING_MS,
  );
  // The address may change under the field: "back", a batch's link, or "Clear filters".
  useEffect(() => setTyped(shown), [shown]);
  return (
    <Group gap="xs">
      <TextInput
        type="search"
        aria-label={t("codes.filter")}
        placeholder={t("codes.filter")}
        leftSection={<IconSearch size={16} />}
        value={typed}
        onChange={(event) => {
          setTyped(event.currentTarget.value);
          apply(event.currentTarget.value);
        }}
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
