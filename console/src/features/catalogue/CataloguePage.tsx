import { Badge, Group, Paper, SimpleGrid, Stack, Text, TextInput } from "@mantine/core";
import { IconSearch, IconStack2 } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Capabilities } from "@/records/Capabilities";
import { DataRegion } from "@/ui/DataRegion";
import { EmptyFirst } from "@/ui/EmptyFirst";
import { PageHead } from "@/ui/PageHead";
import { RouterAnchor } from "@/ui/RouterAnchor";
import { catalogueQuery, type Model } from "./api";
import { PriceText } from "./PriceText";
import { priceLines } from "./prices";

const HEIGHT = 320;

export interface CataloguePageProps {
  search: string;
  onSearch: (search: string) => void;
}

/** Every model that somebody who registers can call, with what it does and costs. */
export function CataloguePage({ search, onSearch }: CataloguePageProps) {
  const { t } = useTranslation();
  const models = useQuery(catalogueQuery);
  const wanted = search.trim().toLowerCase();
  const shown = models.data?.filter(({ model }) => model.toLowerCase().includes(wanted));
  return (
    <Stack gap="lg">
      <PageHead title={t("catalogue.title")} description={t("catalogue.text")} />
      <TextInput
        type="search"
        maw={360}
        aria-label={t("catalogue.search")}
        placeholder={t("catalogue.search")}
        leftSection={<IconSearch size={16} />}
        value={search}
        onChange={(event) => onSearch(event.currentTarget.value)}
      />
      <DataRegion
        query={{ ...models, data: shown }}
        skeletonHeight={HEIGHT}
        isEmpty={(list) => list.length === 0}
        emptyFirst={
          <EmptyFirst
            icon={IconStack2}
            title={t("catalogue.emptyTitle")}
            text={t("catalogue.emptyText")}
          />
        }
        filter={
          wanted === ""
            ? undefined
            : { total: models.data?.length ?? 0, onClear: () => onSearch("") }
        }
      >
        {(list) => (
          <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }}>
            {list.map((model) => (
              <ModelCard key={model.model} model={model} />
            ))}
          </SimpleGrid>
        )}
      </DataRegion>
    </Stack>
  );
}

function ModelCard({ model }: { model: Model }) {
  const { t } = useTranslation();
  const lines = priceLines(model);
  return (
    <Paper withBorder p="md" component="article" miw={0}>
      <Stack gap="xs">
        <Group justify="space-between" wrap="nowrap" align="flex-start">
          <RouterAnchor
            to="/models/$"
            params={{ _splat: model.model }}
            fw={600}
            style={{ overflowWrap: "anywhere" }}
          >
            {model.model}
          </RouterAnchor>
          <Badge variant="default" style={{ flexShrink: 0 }}>
            {model.providers[0] ?? "—"}
          </Badge>
        </Group>
        <Capabilities model={model} />
        {lines.length === 0 ? (
          <Text size="sm" c="dimmed">
            {t("catalogue.noPrice")}
          </Text>
        ) : (
          <Group gap="md">
            {lines.slice(0, 2).map((line) => (
              <PriceText key={line.kind} line={line} />
            ))}
          </Group>
        )}
      </Stack>
    </Paper>
  );
}
