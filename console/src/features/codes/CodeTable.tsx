import { Group, Stack, TextInput } from "@mantine/core";
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
import { codeColumns } from "./codeColumns";
import type { CodesSearch } from "./search";

const SKELETON_HEIGHT = 360;
const TYPING_MS = 250;

/** All codes, newest first, or those of one batch. The codes themselves are not on record. */
export function CodeTable() {
  const { t } = useTranslation();
  const [{ name, p = 1, page_size = DEFAULT_PAGE_SIZE, hide }, setSearch] =
    useUrlState<CodesSearch>();
  const codes = useQuery(codesQuery(name, p, page_size));
  const isNone = name !== undefined && codes.data?.total === 0;
  const { data: total = 0 } = useQuery({ ...codeTotalQuery, enabled: isNone });
  const columns = codeColumns(t);
  return (
    <Stack gap="md">
      <Group justify="space-between" gap="sm">
        <BatchFilter />
        <Group gap="xs">
          <ColumnChooser
            columns={columns}
            hidden={hide}
            onChange={(hidden) => setSearch({ hide: hidden })}
          />
          <CsvButton
            name="codes"
            columns={columns}
            rows={() => everyPage((page, size) => listCodes(name, page, size))}
          />
        </Group>
      </Group>
      <DataRegion
        query={codes}
        skeletonHeight={SKELETON_HEIGHT}
        isEmpty={(list) => list.total === 0}
        filter={
          name === undefined ? undefined : { total, onClear: () => setSearch({ name: undefined }) }
        }
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

function BatchFilter() {
  const { t } = useTranslation();
  const [{ name }, setSearch] = useUrlState<CodesSearch>();
  const [typed, setTyped] = useState(name ?? "");
  const apply = useDebouncedCallback(
    (value: string) => setSearch({ name: value.trim() || undefined, p: undefined }),
    TYPING_MS,
  );
  useEffect(() => setTyped(name ?? ""), [name]);
  return (
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
  );
}
