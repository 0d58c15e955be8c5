import { Button, Group, Stack, Text } from "@mantine/core";
import { IconScale } from "@tabler/icons-react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { EmptyFirst } from "@/ui/EmptyFirst";
import { DataTable } from "@/ui/table/DataTable";
import { DEFAULT_PAGE_SIZE, PageControl } from "@/ui/table/PageControl";
import { useSelection } from "@/ui/table/selection";
import { failureToast, toast, undoToast } from "@/ui/toast";
import { acceptLines, type Comparison, type Line, reversed } from "./compareApi";
import { compareColumns } from "./compareColumns";

const lineId = ({ model, component }: Line) => `${model} ${component}`;
const NAMED = 3;

/** The differences, and taking over those that are ticked. It can be undone: the old lines come back. */
export function ComparedLines({ comparison }: { comparison: Comparison }) {
  const { t, i18n } = useTranslation();
  const client = useQueryClient();
  const selection = useSelection();
  const [{ p = 1, page_size = DEFAULT_PAGE_SIZE }, setPage] = useState<{
    p?: number | undefined;
    page_size?: number | undefined;
  }>({});
  const { lines } = comparison;
  const chosen = lines.filter((line) => selection.isSelected(lineId(line)));
  const refresh = () => client.invalidateQueries({ queryKey: ["models"] });
  const takeBack = useMutation({
    mutationFn: (taken: readonly Line[]) => acceptLines(reversed(taken)),
    onSuccess: () => toast(t("compare.undone")),
    onError: failureToast,
    onSettled: refresh,
  });
  const accept = useMutation({
    mutationFn: acceptLines,
    onSuccess: (_, taken) => {
      selection.clear();
      setPage({});
      undoToast(t("compare.done", { count: taken.length }), () => takeBack.mutate(taken));
    },
    onError: failureToast,
    onSettled: refresh,
  });
  if (lines.length === 0) {
    const isOwn = comparison.models === 0 && typeof comparison.catalogue_date === "string";
    return (
      <Stack gap="md">
        <Summary comparison={comparison} />
        <EmptyFirst
          icon={IconScale}
          title={t("compare.none")}
          text={t(isOwn ? "compare.noneOwn" : "compare.noneText")}
        />
      </Stack>
    );
  }
  return (
    <Stack gap="md">
      <Summary comparison={comparison} />
      <DataTable
        label={t("compare.lines")}
        columns={compareColumns(t, i18n.language)}
        rows={lines.slice((p - 1) * page_size, p * page_size)}
        rowId={lineId}
        selection={selection}
      />
      <PageControl
        page={p}
        pageSize={page_size}
        total={lines.length}
        onChange={(change) => setPage({ p, page_size, ...change })}
      />
      <Group justify="flex-end">
        <Button variant="default" onClick={selection.selectEverything}>
          {t("compare.all", { count: lines.length })}
        </Button>
        <Button
          disabled={chosen.length === 0}
          loading={accept.isPending}
          onClick={() => accept.mutate(chosen)}
        >
          {t("compare.accept", { count: chosen.length })}
        </Button>
      </Group>
    </Stack>
  );
}

function Summary({ comparison }: { comparison: Comparison }) {
  const { t } = useTranslation();
  const { changed, removed, same, unnamed, lines, total, catalogue_date: date } = comparison;
  const { left_out, left_out_total } = comparison;
  const names = left_out.slice(0, NAMED).map(({ model, reason }) => `${model} (${reason})`);
  return (
    <div>
      <Text size="sm" fw={600} role="status">
        {t("compare.summary", { changed, removed, same, added: comparison.new })}
      </Text>
      <Text size="sm" c="dimmed" style={{ overflowWrap: "anywhere" }}>
        {[
          ...(date ? [t("compare.date", { date })] : []),
          ...(unnamed > 0 ? [t("compare.unnamed", { count: unnamed })] : []),
          ...(left_out_total > 0
            ? [t("compare.leftOut", { count: left_out_total, names: names.join(", ") })]
            : []),
          ...(total > lines.length ? [t("compare.first", { count: lines.length, total })] : []),
        ].join(" · ")}
      </Text>
    </div>
  );
}
