// What a column may say beside TanStack Table's own settings.

import type { ColumnDef, RowData } from "@tanstack/react-table";

declare module "@tanstack/react-table" {
  interface ColumnMeta<TData extends RowData, TValue> {
    /** The name in the column chooser and in the CSV, where `header` is no plain text. */
    label?: string;
    /** Numbers stand at the end of their cell. */
    align?: "start" | "end";
    /** The value in the CSV, where it is not the accessor's. */
    csv?: (row: TData) => unknown;
    /** Never set: it only makes the type mention its second parameter. */
    readonly value?: TValue;
  }
}

/** A column of a table of `Row`. */
// biome-ignore lint/suspicious/noExplicitAny: a column's value type differs from column to column.
export type Column<Row> = ColumnDef<Row, any>;

/** What a column is called in words. */
export function columnLabel<Row>(column: Column<Row>): string {
  return column.meta?.label ?? (typeof column.header === "string" ? column.header : "");
}

/** A column's id: the one that it states, else the field that it reads. */
export function columnId<Row>(column: Column<Row>): string {
  return column.id ?? ("accessorKey" in column ? String(column.accessorKey) : "");
}
