// Which of an upstream's models a channel serves, and under which names. Only the rows in view are
// drawn, so that a list of a thousand types as fast as one of ten.

import { Badge, Button, Checkbox, Group, Stack, Text, TextInput } from "@mantine/core";
import { IconPlus, IconSearch } from "@tabler/icons-react";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { isPattern } from "@/lib/servedModels";
import classes from "./channels.module.css";
import type { ServedModel } from "./modelMap";

const ROW_HEIGHT = 48;

export interface ModelPickerProps {
  /** What the upstream lists; absent where it was not asked or has no list. */
  available: readonly string[] | undefined;
  value: readonly ServedModel[];
  onChange: (models: ServedModel[]) => void;
}

export function ModelPicker({ available, value, onChange }: ModelPickerProps) {
  const { t } = useTranslation();
  const [sought, setSought] = useState("");
  const words = sought.trim().toLowerCase();
  const names = [...new Set([...(available ?? []), ...value.map(({ upstream }) => upstream)])];
  const shown = names.filter((name) => name.toLowerCase().includes(words));
  const chosen = new Set(value.map(({ upstream }) => upstream));
  const isAll = shown.length > 0 && shown.every((name) => chosen.has(name));
  const toggleShown = () => {
    const rest = value.filter(({ upstream }) => !shown.includes(upstream));
    const kept = value.filter(({ upstream }) => shown.includes(upstream));
    const added = shown
      .filter((name) => !chosen.has(name))
      .map((name) => ({ alias: name, upstream: name }));
    onChange(isAll ? rest : [...rest, ...kept, ...added]);
  };
  return (
    <Stack gap="sm">
      <Group align="flex-end" gap="sm">
        <TextInput
          label={t("channels.models.search")}
          leftSection={<IconSearch size={16} />}
          type="search"
          value={sought}
          onChange={(event) => setSought(event.currentTarget.value)}
          style={{ flex: "1 1 14rem" }}
        />
        <AddModel
          onAdd={(name) => {
            if (!chosen.has(name)) {
              onChange([...value, { alias: name, upstream: name }]);
            }
          }}
        />
      </Group>
      <Group justify="space-between">
        <Checkbox
          label={t("channels.models.all", { count: shown.length })}
          checked={isAll}
          indeterminate={!isAll && shown.some((name) => chosen.has(name))}
          onChange={toggleShown}
          disabled={shown.length === 0}
        />
        <Text size="sm" c="dimmed" aria-live="polite">
          {t("channels.models.chosen", { count: value.length, total: names.length })}
        </Text>
      </Group>
      <Rows names={shown} available={available} value={value} onChange={onChange} />
    </Stack>
  );
}

function Rows({
  names,
  available,
  value,
  onChange,
}: ModelPickerProps & { names: readonly string[] }) {
  const { t } = useTranslation();
  const box = useRef<HTMLDivElement>(null);
  const rows = useVirtualizer({
    count: names.length,
    getScrollElement: () => box.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: 8,
    getItemKey: (index) => names[index] ?? index,
  });
  if (names.length === 0) {
    return <Text c="dimmed">{t("channels.models.none")}</Text>;
  }
  const byUpstream = new Map(value.map((model) => [model.upstream, model]));
  const listed = available === undefined ? undefined : new Set(available);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard.
    <section ref={box} className={classes.rowsBox} tabIndex={0} aria-label={t("channels.models")}>
      <div className={classes.rows} style={{ height: rows.getTotalSize() }}>
        {rows.getVirtualItems().map(({ key, index, start, size }) => {
          const name = names[index] ?? "";
          return (
            <div
              key={key}
              className={classes.modelRow}
              style={{ height: size, transform: `translateY(${start}px)` }}
            >
              <Row
                name={name}
                model={byUpstream.get(name)}
                isGone={listed !== undefined && !listed.has(name) && !isPattern(name)}
                onToggle={() =>
                  onChange(
                    byUpstream.has(name)
                      ? value.filter(({ upstream }) => upstream !== name)
                      : [...value, { alias: name, upstream: name }],
                  )
                }
                onRename={(alias) =>
                  onChange(
                    value.map((each) => (each.upstream === name ? { ...each, alias } : each)),
                  )
                }
              />
            </div>
          );
        })}
      </div>
    </section>
  );
}

interface RowProps {
  name: string;
  model: ServedModel | undefined;
  isGone: boolean;
  onToggle: () => void;
  onRename: (alias: string) => void;
}

function Row({ name, model, isGone, onToggle, onRename }: RowProps) {
  const { t } = useTranslation();
  return (
    <>
      <Group gap="xs" wrap="nowrap" style={{ minWidth: 0 }}>
        <Checkbox
          label={name}
          checked={model !== undefined}
          onChange={onToggle}
          styles={{
            root: { minWidth: 0 },
            body: { minWidth: 0 },
            labelWrapper: { minWidth: 0 },
            label: { overflow: "hidden", textOverflow: "ellipsis", whiteSpace: "nowrap" },
          }}
        />
        {isGone && (
          <Badge size="xs" color="yellow" variant="light">
            {t("channels.models.gone")}
          </Badge>
        )}
      </Group>
      <TextInput
        size="xs"
        aria-label={t("channels.models.alias", { model: name })}
        value={model?.alias ?? ""}
        placeholder={t("channels.models.notServed")}
        disabled={model === undefined}
        error={model !== undefined && model.alias.trim() === ""}
        onChange={(event) => onRename(event.currentTarget.value)}
      />
    </>
  );
}

function AddModel({ onAdd }: { onAdd: (name: string) => void }) {
  const { t } = useTranslation();
  const [name, setName] = useState("");
  const add = () => {
    if (name.trim() !== "") {
      onAdd(name.trim());
      setName("");
    }
  };
  return (
    <Group gap="xs" align="flex-end" wrap="nowrap" style={{ flex: "1 1 14rem" }}>
      <TextInput
        label={t("channels.models.other")}
        placeholder="gpt-5, gpt-*"
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter") {
            event.preventDefault();
            add();
          }
        }}
        style={{ flex: 1 }}
      />
      <Button variant="default" leftSection={<IconPlus size={16} />} onClick={add}>
        {t("channels.models.add")}
      </Button>
    </Group>
  );
}
