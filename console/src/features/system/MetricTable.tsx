import { Anchor, Group, Paper, Stack, Table, Text, TextInput, Title } from "@mantine/core";
import { IconSearch } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Fragment } from "react";
import { useTranslation } from "react-i18next";
import { DataRegion } from "@/ui/DataRegion";
import { metricsQuery } from "./api";
import { filterRows, type MetricRow, metricRows } from "./metricRows";

const SKELETON_HEIGHT = 320;

export interface MetricTableProps {
  /** Text that a metric's name or description must contain. */
  filter: string;
  onFilterChange: (filter: string) => void;
}

/** Every metric family of `/metrics`, by name, narrowed by the filter. */
export function MetricTable({ filter, onFilterChange }: MetricTableProps) {
  const { t } = useTranslation();
  const metrics = useQuery(metricsQuery);
  const rows = metrics.data && metricRows(metrics.data);
  return (
    <Stack gap="md">
      <Group justify="space-between" align="flex-end">
        <Stack gap={2}>
          <Title order={2} size="h4">
            {t("system.metrics")}
          </Title>
          <Text size="sm" c="dimmed">
            {t("system.metricsText")} <Anchor href="/metrics">{t("system.rawMetrics")}</Anchor>
          </Text>
        </Stack>
        <TextInput
          type="search"
          aria-label={t("system.filter")}
          placeholder={t("system.filter")}
          leftSection={<IconSearch size={16} />}
          value={filter}
          onChange={(event) => onFilterChange(event.currentTarget.value)}
        />
      </Group>
      <DataRegion
        query={{ ...metrics, data: rows && filterRows(rows, filter) }}
        skeletonHeight={SKELETON_HEIGHT}
        isEmpty={(shown) => shown.length === 0}
        emptyFirst={<Text>{t("system.noMetrics")}</Text>}
        filter={
          filter === ""
            ? undefined
            : { total: rows?.length ?? 0, onClear: () => onFilterChange("") }
        }
      >
        {(shown) => (
          <Paper withBorder>
            <Rows rows={shown} />
          </Paper>
        )}
      </DataRegion>
    </Stack>
  );
}

function Rows({ rows }: { rows: readonly MetricRow[] }) {
  const { t, i18n } = useTranslation();
  const number = new Intl.NumberFormat(i18n.language, { maximumFractionDigits: 3 });
  return (
    <Table highlightOnHover verticalSpacing="xs" horizontalSpacing="md">
      <Table.Thead>
        <Table.Tr>
          <Table.Th w="100%">{t("system.metric")}</Table.Th>
          <Table.Th visibleFrom="sm">{t("system.kind")}</Table.Th>
          <Table.Th ta="end" visibleFrom="sm">
            {t("system.series")}
          </Table.Th>
          <Table.Th ta="end">{t("system.value")}</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {rows.map((row) => (
          <Table.Tr key={row.name}>
            <Table.Td>
              <Text ff="monospace" size="sm" style={{ overflowWrap: "anywhere" }}>
                <BreakAtUnderscores name={row.name} />
              </Text>
              <Text size="xs" c="dimmed">
                {row.help}
              </Text>
            </Table.Td>
            <Table.Td visibleFrom="sm">{row.type}</Table.Td>
            <Table.Td ta="end" visibleFrom="sm">
              {number.format(row.seriesCount)}
            </Table.Td>
            <Table.Td ta="end">
              {row.value === undefined ? t("system.severalSeries") : number.format(row.value)}
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

/** A long name goes on in the next line where its words end. */
function BreakAtUnderscores({ name }: { name: string }) {
  const words = name.split(/(?<=_)/);
  return words.map((word, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: a word may come twice, and the name never changes.
    <Fragment key={index}>
      {word}
      <wbr />
    </Fragment>
  ));
}
