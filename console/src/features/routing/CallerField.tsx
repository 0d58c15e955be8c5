import { Select } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { type CallerKind, callerQuery, callersQuery } from "./api";

const TYPING_MS = 200;

export interface CallerFieldProps {
  kind: CallerKind;
  label: string;
  placeholder: string;
  nothingFound: string;
  value: number | undefined;
  onChange: (id: number | undefined) => void;
}

/** A user or an API key, found by name; the gateway searches, as there may be very many. */
export function CallerField({
  kind,
  label,
  placeholder,
  nothingFound,
  value,
  onChange,
}: CallerFieldProps) {
  const [typed, setTyped] = useState("");
  const chosen = useQuery({ ...callerQuery(kind, value ?? 0), enabled: value !== undefined }).data;
  // The name in the field is what was chosen, not what is looked for.
  const [search] = useDebouncedValue(typed === chosen?.name ? "" : typed, TYPING_MS);
  const { data: found = [] } = useQuery({
    ...callersQuery(kind, search),
    placeholderData: keepPreviousData,
  });
  const extra = extraOf(value, chosen?.name, found);
  return (
    <Select
      label={label}
      placeholder={placeholder}
      data={[...extra, ...found].map(({ id, name }) => ({ value: String(id), label: name }))}
      // The gateway has chosen already.
      filter={({ options }) => options}
      value={value === undefined ? null : String(value)}
      searchable
      clearable
      nothingFoundMessage={nothingFound}
      searchValue={typed}
      onSearchChange={setTyped}
      onChange={(id) => onChange(id === null ? undefined : Number(id))}
      w={180}
    />
  );
}

/** The chosen one stays among the choices; one that is gone keeps its number. */
function extraOf(
  value: number | undefined,
  name: string | undefined,
  found: readonly { id: number }[],
): { id: number; name: string }[] {
  const isListed = value === undefined || found.some(({ id }) => id === value);
  return isListed ? [] : [{ id: value, name: name ?? `#${value}` }];
}
