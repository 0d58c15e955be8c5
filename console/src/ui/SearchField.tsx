// A field that searches while one types: what it says follows the address, and the address follows it
// a moment after the last key.

import { TextInput } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { IconSearch } from "@tabler/icons-react";
import { useEffect, useState } from "react";

const TYPING_MS = 250;

interface SearchFieldProps {
  label: string;
  /** What is searched for now; empty for nothing. */
  value: string;
  /** `undefined` for nothing, so that the address stays clean. */
  onSearch: (text: string | undefined) => void;
}

export function SearchField({ label, value, onSearch }: SearchFieldProps) {
  const [typed, setTyped] = useState(value);
  const apply = useDebouncedCallback(
    (text: string) => onSearch(text.trim() || undefined),
    TYPING_MS,
  );
  // The address may change under the field: "back", a link, or "Clear filters".
  useEffect(() => setTyped(value), [value]);
  return (
    <TextInput
      type="search"
      aria-label={label}
      placeholder={label}
      leftSection={<IconSearch size={16} />}
      value={typed}
      onChange={(event) => {
        setTyped(event.currentTarget.value);
        apply(event.currentTarget.value);
      }}
    />
  );
}
