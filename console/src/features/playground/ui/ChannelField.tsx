import { Select } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { ANY_CHANNEL } from "../model/settings";
import { channelQuery, channelsQuery } from "../send/api";

const TYPING_MS = 200;

export interface ChannelFieldProps {
  value: number;
  onChange: (channel: number) => void;
}

/** Which channel calls go through, where an administrator wants to know how one of them fares. */
export function ChannelField({ value, onChange }: ChannelFieldProps) {
  const { t } = useTranslation();
  const [typed, setTyped] = useState("");
  const isChosen = value !== ANY_CHANNEL;
  const chosen = useQuery({ ...channelQuery(value), enabled: isChosen });
  // The name in the field is what was chosen, not what is looked for.
  const [search] = useDebouncedValue(typed === chosen.data?.name ? "" : typed, TYPING_MS);
  const { data: found = [] } = useQuery(channelsQuery(search));
  const isListed = found.some(({ id }) => id === value);
  const options = chosen.data === undefined || isListed ? found : [chosen.data, ...found];
  return (
    <Select
      label={t("playground.channel.label")}
      description={t("playground.channel.text")}
      placeholder={t("playground.channel.any")}
      data={options.map(({ id, name }) => ({ value: String(id), label: name }))}
      value={isChosen ? String(value) : null}
      searchable
      clearable
      clearButtonProps={{ "aria-label": t("playground.channel.clear") }}
      nothingFoundMessage={t("playground.channel.none")}
      searchValue={typed}
      onSearchChange={setTyped}
      error={chosen.isError ? t("playground.channel.gone") : undefined}
      onChange={(id) => onChange(id === null ? ANY_CHANNEL : Number(id))}
    />
  );
}
