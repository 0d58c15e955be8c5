import { Table, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { Money } from "@/ui/Money";
import type { UndoReport } from "./api";
import { Notes } from "./Notes";
import { useEntityName } from "./useEntityName";

/** What an undo took away and what it left. */
export function UndoView({ report }: { report: UndoReport }) {
  const { t } = useTranslation();
  const entity = useEntityName();
  return (
    <>
      <Table
        style={{ fontVariantNumeric: "tabular-nums" }}
        aria-label={t("imports.counts")}
        verticalSpacing={6}
      >
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t("imports.records")}</Table.Th>
            <Table.Th ta="end">{t("imports.removed")}</Table.Th>
            <Table.Th ta="end">{t("imports.kept")}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {report.counts.map((row) => (
            <Table.Tr key={row.entity}>
              <Table.Td>{entity(row.entity)}</Table.Td>
              <Table.Td ta="end">{row.removed}</Table.Td>
              <Table.Td ta="end">{row.kept}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      <Text size="sm" component="div">
        {t("imports.returned")} <Money usd={report.returned_usd} />
      </Text>
      <Notes notes={report.notes} />
    </>
  );
}
