import { Button, Pill, SegmentedControl, Select, TextInput } from "@mantine/core";
import { IconRefresh } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { useSession } from "@/session/session";
import { FilterBar } from "@/ui/table/FilterBar";
import { useUrlState } from "@/ui/useUrlState";
import { GROUP_TEXTS } from "./groupTexts";
import { DEFAULT_RANGE } from "./range";
import { type Group as By, FILTERS, GROUPS, RANGES, type UsageSearch } from "./search";

const RANGE_TEXTS = {
  "15m": "usage.range.15m",
  "1h": "usage.range.1h",
  "6h": "usage.range.6h",
  "24h": "usage.range.24h",
  "7d": "usage.range.7d",
  "30d": "usage.range.30d",
  "90d": "usage.range.90d",
  "1y": "usage.range.1y",
  custom: "usage.range.custom",
} as const;

/** Which time, by what, whose. */
export function UsageControls({ by, onRefresh }: { by: By; onRefresh: () => void }) {
  const { t } = useTranslation();
  const { isAdministrator } = useSession();
  const [search, setSearch] = useUrlState<UsageSearch>();
  const groups = isAdministrator
    ? GROUPS
    : GROUPS.filter((group) => group !== "user" && group !== "channel");
  return (
    <FilterBar>
      <Select
        label={t("usage.range")}
        w={170}
        allowDeselect={false}
        data={RANGES.map((value) => ({ value, label: t(RANGE_TEXTS[value]) }))}
        value={search.range ?? DEFAULT_RANGE}
        onChange={(value) =>
          setSearch(
            { range: value === DEFAULT_RANGE ? undefined : (value as UsageSearch["range"]) },
            { push: true },
          )
        }
      />
      {search.range === "custom" && <CustomRange />}
      <Select
        label={t("usage.groupBy")}
        w={150}
        allowDeselect={false}
        data={groups.map((value) => ({ value, label: t(GROUP_TEXTS[value]) }))}
        value={by}
        onChange={(value) =>
          setSearch({ by: value === "model" ? undefined : (value as By) }, { push: true })
        }
      />
      {isAdministrator && (
        <SegmentedControl
          aria-label={t("usage.whose")}
          data={[
            { value: "all", label: t("usage.everybody") },
            { value: "self", label: t("usage.own") },
          ]}
          value={search.scope ?? "all"}
          onChange={(value) =>
            setSearch({ scope: value === "self" ? "self" : undefined }, { push: true })
          }
        />
      )}
      <Button variant="default" leftSection={<IconRefresh size={16} />} onClick={onRefresh}>
        {t("usage.refresh")}
      </Button>
      <Applied />
    </FilterBar>
  );
}

function CustomRange() {
  const { t } = useTranslation();
  const [search, setSearch] = useUrlState<UsageSearch>();
  const field = (name: "from" | "to") => ({
    type: "datetime-local",
    label: t(name === "from" ? "usage.from" : "usage.to"),
    value: localText(search[name]),
    onChange: (event: { currentTarget: { value: string } }) => {
      const typed = event.currentTarget.value;
      setSearch({ [name]: typed === "" ? undefined : new Date(typed).toISOString() });
    },
  });
  return (
    <>
      <TextInput {...field("from")} />
      <TextInput {...field("to")} />
    </>
  );
}

function localText(value: string | undefined): string {
  const at = new Date(value ?? "");
  if (Number.isNaN(at.getTime())) {
    return "";
  }
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** Filters that a link brought along, each to be taken away. */
function Applied() {
  const { t } = useTranslation();
  const [search, setSearch] = useUrlState<UsageSearch>();
  return (
    <Pill.Group>
      {FILTERS.filter((name) => search[name] !== undefined).map((name) => (
        <Pill
          key={name}
          withRemoveButton
          maw={260}
          onRemove={() => setSearch({ [name]: undefined })}
          removeButtonProps={{
            "aria-label": t("usage.removeFilter", { name }),
            "aria-hidden": false,
            tabIndex: 0,
          }}
        >
          {`${name} = ${search[name]}`}
        </Pill>
      ))}
    </Pill.Group>
  );
}
