import { Button } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { toCsv } from "@/lib/csv";
import { downloadText } from "@/lib/download";
import { failureToast } from "../toast";
import { type Column, columnId, columnLabel } from "./columns";

export interface CsvButtonProps<Row> {
  /** The file's name without its ending. */
  name: string;
  columns: readonly Column<Row>[];
  /** Every row of the current filter, whatever page is shown (see `everyPage`). */
  rows: () => Promise<readonly Row[]>;
}

/** The current filter as a file. Columns without a name or a value stay out. */
export function CsvButton<Row>({ name, columns, rows }: CsvButtonProps<Row>) {
  const { t } = useTranslation();
  const [isBusy, setBusy] = useState(false);
  const save = async () => {
    setBusy(true);
    try {
      const written = columns.filter((column) => columnLabel(column) !== "");
      const lines = (await rows()).map((row) => written.map((column) => csvValue(column, row)));
      downloadText(`${name}.csv`, toCsv(written.map(columnLabel), lines), "text/csv");
    } catch (error) {
      failureToast(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Button
      variant="default"
      size="sm"
      leftSection={<IconDownload size={16} />}
      loading={isBusy}
      onClick={() => void save()}
    >
      {t("table.csv")}
    </Button>
  );
}

function csvValue<Row>(column: Column<Row>, row: Row): unknown {
  if (column.meta?.csv !== undefined) {
    return column.meta.csv(row);
  }
  if ("accessorFn" in column && column.accessorFn !== undefined) {
    return column.accessorFn(row, 0);
  }
  return (row as Record<string, unknown>)[columnId(column)];
}
