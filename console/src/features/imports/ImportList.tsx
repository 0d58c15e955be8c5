// What was imported before, newest first.

import { Stack, Text, Title } from "@mantine/core";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { DataRegion } from "@/ui/DataRegion";
import { DetailDrawer } from "@/ui/DetailDrawer";
import { DataTable } from "@/ui/table/DataTable";
import { DEFAULT_PAGE_SIZE, PageControl } from "@/ui/table/PageControl";
import { useUrlState } from "@/ui/useUrlState";
import { type Import, importQuery, importsQuery } from "./api";
import { importColumns } from "./importColumns";
import { ReportView } from "./ReportView";
import type { ImportsSearch } from "./search";
import { UndoDialog } from "./UndoDialog";
import { UndoView } from "./UndoView";

export function ImportList({ onUndo }: { onUndo: (taskId: string) => void }) {
  const { t } = useTranslation();
  const [{ p = 1, page_size = DEFAULT_PAGE_SIZE, open }, setSearch] = useUrlState<ImportsSearch>();
  const [undoing, setUndoing] = useState<Import>();
  const imports = useQuery({ ...importsQuery(p, page_size), placeholderData: keepPreviousData });
  const show = (id: number) => setSearch({ open: id }, { push: true });
  return (
    <Stack gap="sm">
      <Title order={2} size="h4">
        {t("imports.past")}
      </Title>
      <DataRegion
        query={imports}
        skeletonHeight={160}
        isEmpty={({ items }) => items.length === 0}
        emptyFirst={
          <Text size="sm" c="dimmed">
            {t("imports.none")}
          </Text>
        }
      >
        {({ items, total }) => (
          <Stack gap="sm">
            <DataTable
              label={t("imports.past")}
              columns={importColumns(t, show, setUndoing)}
              rows={items}
              rowId={({ id }) => String(id)}
              onOpen={({ id }) => show(id)}
            />
            <PageControl page={p} pageSize={page_size} total={total} onChange={setSearch} />
          </Stack>
        )}
      </DataRegion>
      <DetailDrawer
        isOpen={open !== undefined}
        title={t("imports.report")}
        onClose={() => setSearch({ open: undefined })}
      >
        {open !== undefined && <Report id={open} />}
      </DetailDrawer>
      <UndoDialog
        batch={undoing}
        onClose={() => setUndoing(undefined)}
        onBegun={(taskId) => {
          setUndoing(undefined);
          onUndo(taskId);
        }}
      />
    </Stack>
  );
}

function Report({ id }: { id: number }) {
  const { t } = useTranslation();
  const found = useQuery(importQuery(id));
  return (
    <DataRegion query={found} skeletonHeight={240}>
      {({ report, undo_report }) => (
        <Stack gap="md">
          {report ? (
            <ReportView report={report} />
          ) : (
            <Text size="sm" c="dimmed">
              {t("imports.noReport")}
            </Text>
          )}
          {undo_report && (
            <>
              <Title order={3} size="h5">
                {t("imports.undo")}
              </Title>
              <UndoView report={undo_report} />
            </>
          )}
        </Stack>
      )}
    </DataRegion>
  );
}
