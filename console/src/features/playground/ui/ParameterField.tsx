import { Group, NumberInput, Select, Stack, Switch, Text, TextInput } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { Parameter, ParameterId } from "../model/parameters";
import type { ParameterSetting } from "../model/settings";

const NAME = {
  maxTokens: "playground.parameter.maxTokens",
  temperature: "playground.parameter.temperature",
  topP: "playground.parameter.topP",
  topK: "playground.parameter.topK",
  presencePenalty: "playground.parameter.presencePenalty",
  frequencyPenalty: "playground.parameter.frequencyPenalty",
  seed: "playground.parameter.seed",
  effort: "playground.parameter.effort",
  thinkingBudget: "playground.parameter.thinkingBudget",
  verbosity: "playground.parameter.verbosity",
  dimensions: "playground.parameter.dimensions",
  count: "playground.parameter.count",
  size: "playground.parameter.size",
  quality: "playground.parameter.quality",
  voice: "playground.parameter.voice",
  speed: "playground.parameter.speed",
  format: "playground.parameter.format",
  language: "playground.parameter.language",
  topN: "playground.parameter.topN",
} as const satisfies Record<ParameterId, string>;

export interface ParameterFieldProps {
  parameter: Parameter;
  setting: ParameterSetting | undefined;
  onChange: (setting: ParameterSetting) => void;
}

/** A parameter with its switch: sent, or left out. */
export function ParameterField({ parameter, setting, onChange }: ParameterFieldProps) {
  const { t } = useTranslation();
  const name = t(NAME[parameter.id]);
  const value = setting?.value ?? parameter.initial;
  const isSent = parameter.required === true || setting?.send === true;
  return (
    <Group gap="xs" wrap="nowrap" align="flex-start">
      <Stack gap={2} flex={1} miw={0}>
        <Text size="sm">{name}</Text>
        <Text size="xs" c="dimmed" ff="monospace" truncate="end">
          {parameter.path.join(".")}
        </Text>
      </Stack>
      <Value
        parameter={parameter}
        name={name}
        value={value}
        isSent={isSent}
        onChange={(next) => onChange({ send: true, value: next })}
      />
      <Switch
        mt={6}
        size="xs"
        aria-label={t("playground.parameter.send", { name })}
        checked={isSent}
        disabled={parameter.required === true}
        onChange={(event) => onChange({ send: event.currentTarget.checked, value })}
      />
    </Group>
  );
}

interface ValueProps {
  parameter: Parameter;
  name: string;
  value: number | string;
  isSent: boolean;
  onChange: (value: number | string) => void;
}

function Value({ parameter, name, value, isSent, onChange }: ValueProps) {
  const { t } = useTranslation();
  const { kind, min, max, step, choices } = parameter;
  const shared = {
    size: "xs",
    w: 104,
    "aria-label": name,
    style: { opacity: isSent ? 1 : 0.75 },
  } as const;
  if (kind === "choice") {
    return (
      <Select
        {...shared}
        data={[...(choices ?? [])]}
        value={String(value)}
        allowDeselect={false}
        onChange={(next) => onChange(next ?? String(value))}
      />
    );
  }
  if (kind === "text") {
    return (
      <TextInput
        {...shared}
        value={String(value)}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
    );
  }
  const number = Number(value);
  const isOutside = (min !== undefined && number < min) || (max !== undefined && number > max);
  const isWrong = isSent && (isOutside || (kind === "integer" && !Number.isInteger(number)));
  const limits =
    max === undefined
      ? t("playground.parameter.least", { min })
      : t("playground.parameter.between", { min, max });
  return (
    <NumberInput
      {...shared}
      value={number}
      step={step ?? 1}
      allowDecimal={kind === "number"}
      clampBehavior="none"
      error={isWrong ? limits : undefined}
      onChange={(next) => {
        if (typeof next === "number") {
          onChange(next);
        }
      }}
    />
  );
}
