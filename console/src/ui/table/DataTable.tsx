// The console's table: pages, sort and hidden columns live in the address; it scrolls in its own box.
// It draws what it is given and never re-sorts by itself; the states are DataRegion's.

import { Checkbox, Table, UnstyledButton } from "@mantine/core";
import { IconArrowDown, IconArrowsSort, IconArrowUp } from "@tabler/icons-react";
import {
  flexRender,
  getCoreRowModel,
  getSortedRowModel,
  type Header,
  useReactTable,
} from "@tanstack/react-table";
import type { KeyboardEvent } from "react";
import { useTranslation } from "react-i18next";
import { type Column, columnId } from "./columns";
import classes from "./DataTable.module.css";
import type { Selection } from "./selection";
import { readSort, writeSort } from "./sort";

export interface DataTableProps<Row> {
  /** What the table lists, for those who do not see it. */
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  rowId: (row: Row) => string;
  /** Ids of columns that are not shown. */
  hidden?: readonly string[] | undefined;
  /** `name` or `-name`, and what to do when a header is pressed; without it nothing is sortable. */
  sort?: string | undefined;
  onSort?: ((sort: string | undefined) => void) | undefined;
  /** True where `rows` are all there are: then the table sorts them itself. */
  isWhole?: boolean;
  selection?: Selection | undefined;
  /** Opens the row's detail; the first cell should have a link or button that does the same. */
  onOpen?: ((row: Row) => void) | undefined;
}

export function DataTable<Row>(props: DataTableProps<Row>) {
  const { columns, rows, rowId, hidden = [], sort, isWhole = false, selection } = props;
  const { t } = useTranslation();
  const shown = columns.filter((column) => !hidden.includes(columnId(column)));
  const table = useReactTable<Row>({
    data: rows as Row[],
    columns: shown as Column<Row>[],
    getRowId: rowId,
    state: { sorting: readSort(sort) },
    manualSorting: !isWhole,
    manualPagination: true,
    enableSortingRemoval: true,
    getCoreRowModel: getCoreRowModel(),
    ...(isWhole ? { getSortedRowModel: getSortedRowModel() } : {}),
  });
  const ids = rows.map(rowId);
  return (
    // A box that scrolls must be reachable by keyboard.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: see above.
    <section className={classes.box} aria-label={props.label} tabIndex={0}>
      <Table className={classes.table} verticalSpacing="xs" horizontalSpacing="xs">
        <Table.Thead>
          {table.getHeaderGroups().map((group) => (
            <Table.Tr key={group.id}>
              {selection !== undefined && (
                <Table.Th w={40}>
                  <Checkbox
                    size="xs"
                    aria-label={t("table.selectPage")}
                    checked={selection.isPageSelected(ids)}
                    indeterminate={selection.isPagePartly(ids)}
                    onChange={() => selection.togglePage(ids)}
                  />
                </Table.Th>
              )}
              {group.headers.map((header) => (
                <HeaderCell key={header.id} header={header} onSort={props.onSort} />
              ))}
            </Table.Tr>
          ))}
        </Table.Thead>
        <Table.Tbody>
          {table.getRowModel().rows.map((row) => (
            <Table.Tr
              key={row.id}
              className={classes.row}
              data-clickable={props.onOpen === undefined ? undefined : true}
              data-selected={selection?.isSelected(row.id) === true || undefined}
              onClick={(event) => {
                // Links, buttons and boxes in the row keep their own meaning.
                if (!isControl(event.target)) {
                  props.onOpen?.(row.original);
                }
              }}
            >
              {selection !== undefined && (
                <Table.Td>
                  <Checkbox
                    size="xs"
                    aria-label={t("table.selectRow", { row: row.id })}
                    checked={selection.isSelected(row.id)}
                    onChange={() => selection.toggle(row.id)}
                  />
                </Table.Td>
              )}
              {row.getVisibleCells().map((cell) => (
                <Table.Td key={cell.id} ta={cell.column.columnDef.meta?.align ?? "start"}>
                  {flexRender(cell.column.columnDef.cell, cell.getContext())}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </section>
  );
}

function isControl(target: EventTarget): boolean {
  return target instanceof Element && target.closest("a, button, input, label, [role]") !== null;
}

const ARIA_SORT = { asc: "ascending", desc: "descending" } as const;

function HeaderCell<Row>({
  header,
  onSort,
}: {
  header: Header<Row, unknown>;
  onSort: ((sort: string | undefined) => void) | undefined;
}) {
  const { column } = header;
  const align = column.columnDef.meta?.align ?? "start";
  const content = flexRender(column.columnDef.header, header.getContext());
  if (onSort === undefined || column.columnDef.enableSorting !== true) {
    return <Table.Th ta={align}>{content}</Table.Th>;
  }
  const direction = column.getIsSorted();
  const Icon = direction === false ? IconArrowsSort : ICONS[direction];
  const next = () => onSort(writeSort(column.id, direction));
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Escape") {
      onSort(undefined);
    }
  };
  return (
    <Table.Th ta={align} aria-sort={direction === false ? "none" : ARIA_SORT[direction]}>
      <UnstyledButton className={classes.sort} onClick={next} onKeyDown={onKeyDown}>
        {content}
        <Icon size={14} stroke={1.6} />
      </UnstyledButton>
    </Table.Th>
  );
}

const ICONS = { asc: IconArrowUp, desc: IconArrowDown } as const;
