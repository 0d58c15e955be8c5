import { Table, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { Money } from "@/ui/Money";
import { ScrollBox } from "@/ui/ScrollBox";
import type { ImportReport } from "./api";
import { Notes } from "./Notes";
import { useEntityName } from "./useEntityName";

/** What was found and what became, or would become, of it. */
export function ReportView({ report }: { report: ImportReport }) {
  const { t } = useTranslation();
  const entity = useEntityName();
  return (
    <>
      <ScrollBox label={t("imports.counts")}>
        <Table style={{ fontVariantNumeric: "tabular-nums" }} miw={420} verticalSpacing={6}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t("imports.records")}</Table.Th>
              <Table.Th ta="end">{t("imports.found")}</Table.Th>
              <Table.Th ta="end">
                {t(report.dry_run ? "imports.wouldCreate" : "imports.created")}
              </Table.Th>
              <Table.Th ta="end">{t("imports.known")}</Table.Th>
              <Table.Th ta="end">{t("imports.leftOut")}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {report.counts.map((row) => (
              <Table.Tr key={row.entity}>
                <Table.Td>{entity(row.entity)}</Table.Td>
                <Table.Td ta="end">{row.found}</Table.Td>
                <Table.Td ta="end">{row.created}</Table.Td>
                <Table.Td ta="end">{row.known}</Table.Td>
                <Table.Td ta="end">{row.left_out}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </ScrollBox>
      <Text size="sm" component="div">
        {t(report.dry_run ? "imports.wouldCredit" : "imports.credited")}{" "}
        <Money usd={report.credited_usd} />
        {" · "}
        {t("imports.referral")} <Money usd={report.referral_usd} />
      </Text>
      <Notes notes={report.notes} />
    </>
  );
}
