import { NumberInput, PasswordInput, Select, Switch, TagsInput, TextInput } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { Setting } from "./api";

export interface SettingInputProps {
  setting: Setting;
  /** What is shown: a change, else what is in effect. */
  value: unknown;
  error: string | undefined;
  isDisabled: boolean;
  onChange: (value: unknown) => void;
}

/** The input that fits a setting's type. */
export function SettingInput({ setting, value, error, isDisabled, onChange }: SettingInputProps) {
  const { t } = useTranslation();
  const shared = { "aria-label": setting.key, error, disabled: isDisabled };
  if (setting.type === "switch") {
    return (
      <Switch
        {...shared}
        checked={value === true}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
    );
  }
  if (setting.type === "number") {
    return (
      <NumberInput
        {...shared}
        value={typeof value === "number" ? value : ""}
        onChange={(next) => onChange(next === "" ? null : next)}
      />
    );
  }
  if (setting.type === "list") {
    return (
      <TagsInput
        {...shared}
        value={Array.isArray(value) ? value.map(String) : []}
        onChange={onChange}
      />
    );
  }
  if (setting.choices.length > 0) {
    return (
      <Select
        {...shared}
        data={setting.choices}
        value={typeof value === "string" ? value : null}
        allowDeselect={false}
        onChange={onChange}
      />
    );
  }
  if (setting.secret) {
    return (
      <PasswordInput
        {...shared}
        value={typeof value === "string" ? value : ""}
        placeholder={setting.is_set ? t("settings.secretSet") : t("settings.secretUnset")}
        autoComplete="new-password"
        visibilityToggleButtonProps={{ "aria-label": t("settings.showSecret") }}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
    );
  }
  return (
    <TextInput
      {...shared}
      value={typeof value === "string" ? value : ""}
      onChange={(event) =>
        onChange(event.currentTarget.value === "" ? null : event.currentTarget.value)
      }
    />
  );
}
