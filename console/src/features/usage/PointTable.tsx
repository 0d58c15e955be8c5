import { Anchor, ScrollArea, Table } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { Unknown } from "@/ui/Money";
import type { ChartCardProps } from "./ChartCard";
import { totalOf } from "./chartData";
import { stepFormat } from "./formats";

const MOST_HEIGHT = 320;

/** A chart in words: every step, exact; sums where values can be added. */
export function PointTable({ id, title, data, kind, formatExact, onOpen }: ChartCardProps) {
  const { t, i18n } = useTranslation();
  const time = stepFormat(data.points, i18n.language);
  return (
    <ScrollArea.Autosize
      mah={MOST_HEIGHT}
      viewportProps={{ tabIndex: 0, role: "group", "aria-label": title }}
    >
      <Table
        stickyHeader
        verticalSpacing={6}
        style={{ fontVariantNumeric: "tabular-nums", whiteSpace: "nowrap" }}
        data-chart={id}
      >
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t("usage.time")}</Table.Th>
            {data.series.map(({ id: name, label }) => (
              <Table.Th
                key={name}
                ta="end"
                maw={180}
                style={{ overflow: "hidden", textOverflow: "ellipsis" }}
                title={label}
              >
                {label}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {data.points.map((point) => (
            <Table.Tr key={point.at}>
              <Table.Td>
                <Anchor
                  component="button"
                  type="button"
                  size="sm"
                  underline="hover"
                  onClick={() => onOpen(point)}
                >
                  {time.format(point.at)}
                </Anchor>
              </Table.Td>
              {data.series.map(({ id: name }) => {
                const cell = point.cells[name];
                return (
                  <Table.Td key={name} ta="end">
                    {cell === undefined || cell.value === null ? (
                      <Unknown reason={t("usage.noCalls")} />
                    ) : (
                      formatExact(cell.exact)
                    )}
                  </Table.Td>
                );
              })}
            </Table.Tr>
          ))}
        </Table.Tbody>
        {kind === "bar" && (
          <Table.Tfoot>
            <Table.Tr>
              <Table.Th>{t("usage.sum")}</Table.Th>
              {data.series.map(({ id: name }) => (
                <Table.Th key={name} ta="end">
                  {formatExact(totalOf(data, name))}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Tfoot>
        )}
      </Table>
    </ScrollArea.Autosize>
  );
}
