import { Button, Checkbox, Popover, Stack } from "@mantine/core";
import { IconColumns3 } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { type Column, columnId, columnLabel } from "./columns";

export interface ColumnChooserProps<Row> {
  columns: readonly Column<Row>[];
  hidden?: readonly string[] | undefined;
  /** `undefined` when all are shown, so that the address stays clean. */
  onChange: (hidden: string[] | undefined) => void;
}

/** Which columns are shown; those with `enableHiding: false` stay. */
export function ColumnChooser<Row>({ columns, hidden = [], onChange }: ColumnChooserProps<Row>) {
  const { t } = useTranslation();
  const toggle = (id: string) => {
    const next = hidden.includes(id) ? hidden.filter((each) => each !== id) : [...hidden, id];
    onChange(next.length === 0 ? undefined : next);
  };
  return (
    <Popover position="bottom-end" trapFocus>
      <Popover.Target>
        <Button variant="default" size="sm" leftSection={<IconColumns3 size={16} />}>
          {t("table.columns")}
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label={t("table.columns")}>
        <Stack gap="xs">
          {columns
            .filter((column) => column.enableHiding !== false)
            .map((column) => (
              <Checkbox
                key={columnId(column)}
                size="sm"
                label={columnLabel(column)}
                checked={!hidden.includes(columnId(column))}
                onChange={() => toggle(columnId(column))}
              />
            ))}
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}
