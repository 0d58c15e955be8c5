import { Table, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { Count } from "@/ui/Count";
import { ScrollBox } from "@/ui/ScrollBox";
import type { Call } from "./api";
import { addsUp, isTokenKind, kindText, perMillion } from "./callFacts";

/** The lines that the charge is the sum of, every amount exact. */
export function PriceLines({ of }: { of: Call }) {
  const { t } = useTranslation();
  if (of.price_lines.length === 0) {
    return <Text size="sm">{t("logs.nothingCharged")}</Text>;
  }
  return (
    <>
      <ScrollBox label={t("logs.cost")}>
        <Table
          horizontalSpacing={6}
          verticalSpacing={6}
          style={{ fontVariantNumeric: "tabular-nums" }}
        >
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t("logs.line")}</Table.Th>
              <Table.Th ta="end">{t("logs.units")}</Table.Th>
              <Table.Th ta="end">{t("logs.price")}</Table.Th>
              <Table.Th ta="end">{t("logs.amount")}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {of.price_lines.map((line) => (
              <Table.Tr key={`${line.kind} ${line.price_usd}`}>
                <Table.Td>{kindText(line.kind, t)}</Table.Td>
                <Table.Td ta="end">
                  <Count value={line.units} />
                </Table.Td>
                <Table.Td ta="end">
                  {isTokenKind(line.kind)
                    ? t("logs.perMillion", { usd: perMillion(line.price_usd) })
                    : `$${line.price_usd}`}
                </Table.Td>
                <Table.Td ta="end">{`$${line.amount_usd}`}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
          <Table.Tfoot>
            <Table.Tr>
              <Table.Th colSpan={3}>{t("logs.sum")}</Table.Th>
              <Table.Th ta="end">{`$${of.charge_usd}`}</Table.Th>
            </Table.Tr>
          </Table.Tfoot>
        </Table>
      </ScrollBox>
      {!addsUp(of) && (
        <Text size="sm" c="red">
          {t("logs.notAddingUp")}
        </Text>
      )}
      {of.loss_usd != null && (
        <Text size="sm" c="red">
          {t("logs.loss", { usd: of.loss_usd })}
        </Text>
      )}
      {of.estimated && (
        <Text size="sm" c="dimmed">
          {t("logs.estimated")}
        </Text>
      )}
    </>
  );
}
