// Models with what they cost. Those in use without a price come first and loudly: calls are refused.

import { Alert, Anchor, Button, Group, Select, Stack, Switch } from "@mantine/core";
import { IconAlertTriangle, IconCoin, IconScale } from "@tabler/icons-react";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { lazy, Suspense } from "react";
import { useTranslation } from "react-i18next";
import { everyPage } from "@/api/everyPage";
import { DataRegion } from "@/ui/DataRegion";
import { EmptyFirst } from "@/ui/EmptyFirst";
import { NoneMatch } from "@/ui/NoneMatch";
import { PageHead } from "@/ui/PageHead";
import { SearchField } from "@/ui/SearchField";
import { CsvButton } from "@/ui/table/CsvButton";
import { DataTable } from "@/ui/table/DataTable";
import { FilterBar } from "@/ui/table/FilterBar";
import { DEFAULT_PAGE_SIZE, PageControl } from "@/ui/table/PageControl";
import { useUrlState } from "@/ui/useUrlState";
import { type PriceFilter, pricesQuery, readPrices, unpricedQuery } from "./api";
import { ModelDrawer } from "./ModelDrawer";
import { modelColumns } from "./modelColumns";
import { SOURCE_TEXT, type SourceName } from "./rateText";

export interface ModelsSearch extends PriceFilter {
  p?: number;
  page_size?: number;
  /** The open model. */
  model?: string;
  /** The dialog that compares prices. */
  open?: "compare";
}

/** Needed now and then: loaded when it opens. */
const ComparePrices = lazy(() => import("./ComparePrices"));

const SOURCES = Object.keys(SOURCE_TEXT) as SourceName[];
const NAMED = 6;

export function ModelsPage() {
  const { t } = useTranslation();
  const [search, setSearch] = useUrlState<ModelsSearch>();
  const { p = 1, page_size = DEFAULT_PAGE_SIZE, model, open: dialog, ...filter } = search;
  const prices = useQuery({
    ...pricesQuery(filter, p, page_size),
    placeholderData: keepPreviousData,
  });
  const open = (name: string) => setSearch({ model: name }, { push: true });
  const columns = modelColumns(t, open);
  const isNarrowed = filter.search !== undefined || filter.source !== undefined;
  return (
    <Stack gap="lg">
      <PageHead
        title={t("models.title")}
        description={t("models.text")}
        actions={
          <Button
            variant="default"
            leftSection={<IconScale size={17} />}
            onClick={() => setSearch({ open: "compare" }, { push: true })}
          >
            {t("models.compare")}
          </Button>
        }
      />
      <Unpriced onOpen={open} />
      <FilterBar>
        <SearchField
          label={t("models.search")}
          value={filter.search ?? ""}
          onSearch={(text) => setSearch({ search: text, p: undefined })}
          style={{ flex: "1 1 14rem" }}
        />
        <Select
          aria-label={t("models.source")}
          placeholder={t("models.source")}
          data={SOURCES.map((each) => ({ value: each, label: t(SOURCE_TEXT[each]) }))}
          value={filter.source ?? null}
          clearable
          onChange={(source) => setSearch({ source: source ?? undefined, p: undefined })}
        />
        <Switch
          label={t("models.all")}
          checked={filter.all === true}
          onChange={(event) =>
            setSearch({ all: event.currentTarget.checked ? true : undefined, p: undefined })
          }
        />
        <CsvButton
          name="prices"
          columns={columns}
          rows={() => everyPage((page, size) => readPrices(filter, page, size))}
        />
      </FilterBar>
      <DataRegion
        query={prices}
        skeletonHeight={420}
        isEmpty={({ total }) => total === 0}
        emptyFirst={
          isNarrowed ? (
            <NoneMatch
              title={t("models.noneMatch")}
              onClear={() => setSearch({ search: undefined, source: undefined })}
            />
          ) : (
            <EmptyFirst icon={IconCoin} title={t("models.empty")} text={t("models.emptyText")} />
          )
        }
      >
        {({ items, total }) => (
          <Stack gap="sm">
            <DataTable
              label={t("models.title")}
              columns={columns}
              rows={items}
              rowId={(price) => price.model}
              onOpen={(price) => open(price.model)}
            />
            <PageControl page={p} pageSize={page_size} total={total} onChange={setSearch} />
          </Stack>
        )}
      </DataRegion>
      <ModelDrawer model={model} onClose={() => setSearch({ model: undefined })} />
      <Suspense>
        {dialog === "compare" && <ComparePrices onClose={() => setSearch({ open: undefined })} />}
      </Suspense>
    </Stack>
  );
}

function Unpriced({ onOpen }: { onOpen: (model: string) => void }) {
  const { t } = useTranslation();
  const { data } = useQuery(unpricedQuery);
  if (data === undefined || data.total === 0) {
    return null;
  }
  return (
    <Alert
      color="red"
      variant="light"
      role="alert"
      icon={<IconAlertTriangle />}
      title={t("models.unpriced", { count: data.total })}
      styles={{ message: { overflowWrap: "anywhere" } }}
    >
      <Group gap="sm">
        {data.items.slice(0, NAMED).map(({ model }) => (
          <Anchor
            key={model}
            component="button"
            type="button"
            size="sm"
            onClick={() => onOpen(model)}
          >
            {model}
          </Anchor>
        ))}
        {data.total > NAMED && t("models.more", { count: data.total - NAMED })}
      </Group>
    </Alert>
  );
}
