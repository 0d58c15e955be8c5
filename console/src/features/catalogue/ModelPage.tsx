import { Code, Paper, Stack, Table, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Capabilities } from "@/records/Capabilities";
import { CopyField } from "@/ui/CopyButton";
import { DataRegion } from "@/ui/DataRegion";
import { Money } from "@/ui/Money";
import { PageHead } from "@/ui/PageHead";
import { RouterAnchor } from "@/ui/RouterAnchor";
import { catalogueQuery, type Model } from "./api";
import { useKindText } from "./PriceText";
import { priceLines } from "./prices";

/** One model of the catalogue. */
export function ModelPage({ name }: { name: string }) {
  const { t } = useTranslation();
  const catalogue = useQuery(catalogueQuery);
  const found = catalogue.data && { model: catalogue.data.find(({ model }) => model === name) };
  return (
    <Stack gap="lg">
      <PageHead title={name} description={t("catalogue.modelText")} />
      <DataRegion query={{ ...catalogue, data: found }} skeletonHeight={240}>
        {({ model }) =>
          model === undefined ? <Text>{t("catalogue.unknown")}</Text> : <Details model={model} />
        }
      </DataRegion>
      <RouterAnchor to="/models">{t("catalogue.all")}</RouterAnchor>
    </Stack>
  );
}

function Details({ model }: { model: Model }) {
  const { t } = useTranslation();
  const kindText = useKindText();
  const lines = priceLines(model);
  return (
    <Stack gap="lg">
      <Capabilities model={model} />
      <CopyField text={model.model} label={t("catalogue.name")} />
      <Paper withBorder p="md">
        {lines.length === 0 ? (
          <Text size="sm">{t("catalogue.noPrice")}</Text>
        ) : (
          <Table aria-label={t("catalogue.prices")}>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{t("catalogue.what")}</Table.Th>
                <Table.Th ta="end">{t("catalogue.price")}</Table.Th>
                <Table.Th>{t("catalogue.per")}</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {lines.map(({ kind, usd, isPerMillion }) => (
                <Table.Tr key={kind}>
                  <Table.Td>{kindText(kind)}</Table.Td>
                  <Table.Td ta="end">
                    <Money usd={usd} />
                  </Table.Td>
                  <Table.Td>{t(isPerMillion ? "catalogue.million" : "catalogue.one")}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        )}
      </Paper>
      <Text size="sm" c="dimmed">
        {t("catalogue.providers")} <Code>{model.providers.join(", ")}</Code>
      </Text>
    </Stack>
  );
}
