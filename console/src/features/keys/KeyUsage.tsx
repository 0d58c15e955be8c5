import { Paper, SimpleGrid, Stack, Table, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Count } from "@/ui/Count";
import { DataRegion } from "@/ui/DataRegion";
import { Money } from "@/ui/Money";
import { ScrollBox } from "@/ui/ScrollBox";
import { keyUsageQuery, type KeyUsage as Usage } from "./api";
import { LimitBar } from "./LimitBars";

/** What a key used, and what its budgets leave. */
export function KeyUsage({ id }: { id: number }) {
  const { t } = useTranslation();
  const usage = useQuery(keyUsageQuery(id));
  return (
    <Paper withBorder p="md">
      <Stack gap="md">
        <Title order={2} size="h4">
          {t("keys.usageTitle")}
        </Title>
        <DataRegion query={usage} skeletonHeight={160}>
          {(data) => (
            <Stack gap="md">
              <Budgets of={data} />
              <Recent of={data} />
            </Stack>
          )}
        </DataRegion>
      </Stack>
    </Paper>
  );
}

function Budgets({ of }: { of: Usage }) {
  const { t } = useTranslation();
  if (of.budgets.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        {t("keys.noBudget")}
      </Text>
    );
  }
  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md">
      {of.budgets.map((budget) => (
        <LimitBar key={budget.period} budget={budget} />
      ))}
    </SimpleGrid>
  );
}

function Recent({ of }: { of: Usage }) {
  const { t } = useTranslation();
  return (
    <ScrollBox label={t("keys.usageTitle")}>
      <Table miw={460} verticalSpacing="xs">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t("keys.lastDays")}</Table.Th>
            <Table.Th ta="end">{t("keys.requests")}</Table.Th>
            <Table.Th ta="end">{t("keys.errors")}</Table.Th>
            <Table.Th ta="end">{t("keys.tokensIn")}</Table.Th>
            <Table.Th ta="end">{t("keys.tokensOut")}</Table.Th>
            <Table.Th ta="end">{t("keys.spent")}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {of.recent.map((row) => (
            <Table.Tr key={row.days}>
              <Table.Td>{t("keys.days", { count: row.days })}</Table.Td>
              <Table.Td ta="end">
                <Count value={row.requests} />
              </Table.Td>
              <Table.Td ta="end">
                <Count value={row.errors} />
              </Table.Td>
              <Table.Td ta="end">
                <Count value={row.input_tokens} />
              </Table.Td>
              <Table.Td ta="end">
                <Count value={row.output_tokens} />
              </Table.Td>
              <Table.Td ta="end">
                <Money usd={row.quota_usd} />
              </Table.Td>
            </Table.Tr>
          ))}
          <Table.Tr>
            <Table.Td colSpan={5}>{t("keys.inAll")}</Table.Td>
            <Table.Td ta="end">
              <Money usd={of.used_quota_usd} />
            </Table.Td>
          </Table.Tr>
        </Table.Tbody>
      </Table>
    </ScrollBox>
  );
}
