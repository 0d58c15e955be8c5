import { Button, Group, Pagination, Select, Text } from "@mantine/core";
import { IconChevronRight, IconChevronsLeft } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";

/** How many rows a page may have. */
const PAGE_SIZES = [25, 50, 100] as const;

export const DEFAULT_PAGE_SIZE = PAGE_SIZES[0];

/** Pages reach this many rows deep; the interface refuses what lies beyond. */
const DEEPEST_ROW = 10_000;

export interface PageControlProps {
  page: number;
  pageSize: number;
  total: number;
  onChange: (change: { p?: number | undefined; page_size?: number | undefined }) => void;
}

/** Numbered pages: which rows are shown, of how many. */
export function PageControl({ page, pageSize, total, onChange }: PageControlProps) {
  const { t, i18n } = useTranslation();
  const number = new Intl.NumberFormat(i18n.language);
  const pages = Math.max(1, Math.ceil(Math.min(total, DEEPEST_ROW) / pageSize));
  const first = total === 0 ? 0 : (page - 1) * pageSize + 1;
  return (
    <Group justify="space-between" gap="sm">
      <Text size="sm" c="dimmed">
        {t("table.range", {
          first: number.format(first),
          last: number.format(Math.min(page * pageSize, total)),
          total: number.format(total),
        })}
      </Text>
      <Group gap="sm">
        <SizeSelect
          size={pageSize}
          onChange={(size) => onChange({ p: undefined, page_size: size })}
        />
        {pages > 1 && (
          <Pagination
            size="sm"
            total={pages}
            value={page}
            onChange={(next) => onChange({ p: next === 1 ? undefined : next })}
            getItemProps={(each) => ({ "aria-label": t("table.page", { page: each }) })}
            getControlProps={(control) => ({
              "aria-label": t(control === "next" ? "table.next" : "table.previous"),
            })}
          />
        )}
      </Group>
    </Group>
  );
}

export interface CursorControlProps {
  /** Whether the list is shown from its beginning. */
  isFirst: boolean;
  nextCursor: string | null | undefined;
  limit: number;
  onChange: (change: { cursor?: string | undefined; limit?: number | undefined }) => void;
}

/** Endless lists: on, and back to the beginning; the browser's "back" is one page back. */
export function CursorControl({ isFirst, nextCursor, limit, onChange }: CursorControlProps) {
  const { t } = useTranslation();
  return (
    <Group justify="flex-end" gap="sm">
      <SizeSelect size={limit} onChange={(size) => onChange({ cursor: undefined, limit: size })} />
      <Button
        variant="default"
        size="xs"
        disabled={isFirst}
        leftSection={<IconChevronsLeft size={15} />}
        onClick={() => onChange({ cursor: undefined })}
      >
        {t("table.first")}
      </Button>
      <Button
        variant="default"
        size="xs"
        disabled={nextCursor === null || nextCursor === undefined}
        rightSection={<IconChevronRight size={15} />}
        onClick={() => onChange({ cursor: nextCursor ?? undefined })}
      >
        {t("table.more")}
      </Button>
    </Group>
  );
}

function SizeSelect({
  size,
  onChange,
}: {
  size: number;
  onChange: (size: number | undefined) => void;
}) {
  const { t } = useTranslation();
  return (
    <Select
      size="xs"
      w={92}
      aria-label={t("table.pageSize")}
      allowDeselect={false}
      data={PAGE_SIZES.map(String)}
      value={String(size)}
      onChange={(value) => {
        const chosen = Number(value);
        onChange(chosen === DEFAULT_PAGE_SIZE ? undefined : chosen);
      }}
      comboboxProps={{ withinPortal: false }}
    />
  );
}
