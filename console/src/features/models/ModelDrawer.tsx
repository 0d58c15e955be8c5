// One model: what it does, what each group pays, every price that was ever set, and the next one.

import { Button, Group, Stack, Table, Text, Title } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Capabilities } from "@/records/Capabilities";
import { DataRegion } from "@/ui/DataRegion";
import { DetailDrawer } from "@/ui/DetailDrawer";
import { Money, Unknown } from "@/ui/Money";
import { Time } from "@/ui/Time";
import { failureToast, toast } from "@/ui/toast";
import { endPrice, groupsQuery, historyQuery, metaQuery, type StoredPrice } from "./api";
import { PriceForm } from "./PriceForm";
import { multiply, RATES, rateOf } from "./prices";
import { RATE_TEXT, SOURCE_TEXT, type SourceName } from "./rateText";
import { usePrice } from "./usePrice";

export interface ModelDrawerProps {
  model: string | undefined;
  onClose: () => void;
}

export function ModelDrawer({ model, onClose }: ModelDrawerProps) {
  return (
    <DetailDrawer isOpen={model !== undefined} title={model ?? ""} onClose={onClose} size="xl">
      {model !== undefined && <Model model={model} />}
    </DetailDrawer>
  );
}

function Model({ model }: { model: string }) {
  const { t } = useTranslation();
  const price = usePrice(model);
  return (
    <Stack gap="lg">
      <Meta model={model} />
      <DataRegion query={price} skeletonHeight={160}>
        {(found) => (
          <Stack gap="lg">
            <Effective prices={found?.prices} />
            <PriceForm key={JSON.stringify(found?.prices)} model={model} prices={found?.prices} />
          </Stack>
        )}
      </DataRegion>
      <History model={model} />
      <Text size="xs" c="dimmed">
        {t("models.sources")}
      </Text>
    </Stack>
  );
}

function Meta({ model }: { model: string }) {
  const { t } = useTranslation();
  const found = useQuery(metaQuery).data?.find((each) => each.model === model);
  if (found === undefined) {
    return null;
  }
  return (
    <Stack gap="xs">
      <Capabilities model={found} />
      <Text size="sm" style={{ overflowWrap: "anywhere" }}>
        {t("models.channels", { channels: (found.channels ?? []).join(", ") })}
      </Text>
    </Stack>
  );
}

/** List price times each group's multiplier, exact. */
function Effective({ prices }: { prices: unknown }) {
  const { t } = useTranslation();
  const groups = useQuery(groupsQuery).data ?? [];
  const rates = RATES.filter((rate) => rateOf(prices, rate) !== undefined);
  if (rates.length === 0) {
    return <Text>{t("models.noPrice")}</Text>;
  }
  return (
    <Stack gap="xs">
      <Title order={3} size="h5">
        {t("models.effective")}
      </Title>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard. */}
      <section style={{ overflowX: "auto" }} tabIndex={0} aria-label={t("models.effective")}>
        <Table>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t("models.group")}</Table.Th>
              <Table.Th ta="end">{t("models.multiplier")}</Table.Th>
              {rates.map((rate) => (
                <Table.Th key={rate} ta="end">
                  {t(RATE_TEXT[rate])}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {groups.map(({ id, name, multiplier }) => (
              <Table.Tr key={id}>
                <Table.Th scope="row">{name}</Table.Th>
                <Table.Td ta="end">{t("models.times", { multiplier })}</Table.Td>
                {rates.map((rate) => (
                  <Table.Td key={rate} ta="end">
                    <Money usd={multiply(rateOf(prices, rate) ?? "0", multiplier)} />
                  </Table.Td>
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </section>
    </Stack>
  );
}

function History({ model }: { model: string }) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const history = useQuery(historyQuery(model));
  const end = async (id: number) => {
    try {
      await endPrice(id);
      toast(t("models.ended"));
    } catch (error) {
      failureToast(error);
    }
    await client.invalidateQueries({ queryKey: ["models"] });
  };
  return (
    <Stack gap="xs">
      <Title order={3} size="h5">
        {t("models.history")}
      </Title>
      <DataRegion
        query={history}
        skeletonHeight={80}
        isEmpty={(all) => all.length === 0}
        emptyFirst={<Text size="sm">{t("models.noHistory")}</Text>}
      >
        {(all) => (
          <Stack gap="xs">
            {all.map((stored) => (
              <HistoryRow key={stored.id} stored={stored} onEnd={() => void end(stored.id)} />
            ))}
          </Stack>
        )}
      </DataRegion>
    </Stack>
  );
}

function HistoryRow({ stored, onEnd }: { stored: StoredPrice; onEnd: () => void }) {
  const { t } = useTranslation();
  const rates = RATES.filter((rate) => rateOf(stored.prices, rate) !== undefined);
  return (
    <Group justify="space-between" wrap="nowrap" align="flex-start">
      <div>
        <Text size="sm" fw={600}>
          <Time at={stored.effective_from} />
          {" · "}
          {t(SOURCE_TEXT[stored.source as SourceName])}
        </Text>
        <Text size="sm" c="dimmed">
          {rates.length === 0 ? (
            <>
              <Unknown /> {t("models.endOfPrice")}
            </>
          ) : (
            rates.map((rate) => `${t(RATE_TEXT[rate])} ${rateOf(stored.prices, rate)}`).join(" · ")
          )}
        </Text>
      </div>
      {stored.source === "administrator" && stored.prices !== null && (
        <Button size="compact-xs" variant="default" onClick={onEnd}>
          {t("models.end")}
        </Button>
      )}
    </Group>
  );
}
