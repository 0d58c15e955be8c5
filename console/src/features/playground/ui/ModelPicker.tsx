import { Autocomplete, Badge, Group, Stack, Text } from "@mantine/core";
import { type Ref, useState } from "react";
import { useTranslation } from "react-i18next";
import { formatUsd } from "@/lib/money";
import type { EndpointId } from "../model/endpoints";
import { blockOf, type ModelInfo, modelsFor } from "../model/models";
import classes from "./Message.module.css";

export interface ModelPickerProps {
  models: readonly ModelInfo[];
  endpoint: EndpointId;
  value: string;
  onChange: (model: string) => void;
  label?: string;
  inputRef?: Ref<HTMLInputElement>;
}

/** More are found by typing. */
const SHOWN = 100;

/** A model by name: chosen from the list, grouped by vendor, or typed freely. */
export function ModelPicker({
  models,
  endpoint,
  value,
  onChange,
  label,
  inputRef,
}: ModelPickerProps) {
  const { t } = useTranslation();
  const [text, setText] = useTyped(value, onChange);
  const fitting = modelsFor(models, endpoint);
  const byName = new Map(fitting.map((model) => [model.name, model]));
  const vendors = [...new Set(fitting.map(({ vendor }) => vendor))].sort();
  const data = vendors.map((vendor) => ({
    group: vendor,
    items: fitting
      .filter((model) => model.vendor === vendor)
      .map((model) => ({ value: model.name, disabled: blockOf(model) !== undefined })),
  }));
  return (
    <Autocomplete
      ref={inputRef ?? null}
      size="sm"
      label={label ?? t("playground.model.label")}
      placeholder={t("playground.model.placeholder")}
      value={text}
      onChange={setText}
      onBlur={() => setText(value)}
      data={data}
      limit={SHOWN}
      maxDropdownHeight={420}
      comboboxProps={{ width: 380, position: "bottom-start" }}
      // What is chosen already must not hide the others.
      filter={({ options, search }) => (byName.has(search) ? options : narrowed(options, search))}
      renderOption={({ option }) => (
        <ModelOption name={option.value} model={byName.get(option.value)} />
      )}
    />
  );
}

/** What stands in the field: it may be empty for a moment, the chosen model never is. */
function useTyped(
  value: string,
  onChange: (model: string) => void,
): [string, (text: string) => void] {
  const [typed, setTyped] = useState({ value, text: value });
  const text = typed.value === value ? typed.text : value;
  const change = (next: string) => {
    const model = next.trim();
    setTyped({ value: model === "" ? value : model, text: next });
    if (model !== "" && model !== value) {
      onChange(model);
    }
  };
  return [text, change];
}

type Options = Parameters<NonNullable<Parameters<typeof Autocomplete>[0]["filter"]>>[0]["options"];

function narrowed(options: Options, search: string): Options {
  const wanted = search.trim().toLowerCase();
  const fits = (name: string) => name.toLowerCase().includes(wanted);
  return options.flatMap((option): Options => {
    if (!("items" in option)) {
      return fits(option.label) ? [option] : [];
    }
    const items = option.items.filter((item) => fits(item.label));
    return items.length === 0 ? [] : [{ ...option, items }];
  });
}

function ModelOption({ name, model }: { name: string; model: ModelInfo | undefined }) {
  const { t, i18n } = useTranslation();
  const block = model === undefined ? undefined : blockOf(model);
  const { input, output } = model?.prices ?? {};
  return (
    <Stack gap={2} w="100%">
      <Group gap={6} justify="space-between" wrap="nowrap">
        <Text size="sm" className={classes.breaks}>
          {name}
        </Text>
        {input !== undefined && (
          <Text size="xs" c="dimmed" style={{ whiteSpace: "nowrap" }}>
            {output === undefined
              ? t("playground.model.price", { input: formatUsd(input, i18n.language) })
              : t("playground.model.prices", {
                  input: formatUsd(input, i18n.language),
                  output: formatUsd(output, i18n.language),
                })}
          </Text>
        )}
      </Group>
      <Group gap={4}>
        {model?.capabilities?.vision === true && <Chip text={t("playground.model.vision")} />}
        {model?.capabilities?.reasoning === true && <Chip text={t("playground.model.reasoning")} />}
        {model?.capabilities?.structured_output === true && (
          <Chip text={t("playground.model.schema")} />
        )}
        {block !== undefined && (
          <Text size="xs" c="dimmed">
            {t(block === "price" ? "playground.model.noPrice" : "playground.model.notInPlan")}
          </Text>
        )}
      </Group>
    </Stack>
  );
}

function Chip({ text }: { text: string }) {
  return (
    <Badge size="xs" variant="default">
      {text}
    </Badge>
  );
}
