// A field that searches while one types: what it says follows the address, and the address follows it
// a moment after the last key.

import { TextInput, type TextInputProps } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { IconSearch } from "@tabler/icons-react";
import { useEffect, useRef, useState } from "react";

const TYPING_MS = 250;

interface SearchFieldProps extends Pick<TextInputProps, "w" | "style"> {
  label: string;
  /** What is searched for now; empty for nothing. */
  value: string;
  /** `undefined` for nothing, so that the address stays clean. */
  onSearch: (text: string | undefined) => void;
}

export function SearchField({ label, value, onSearch, ...box }: SearchFieldProps) {
  const [typed, setTyped] = useState(value);
  const sought = useRef(value);
  const apply = useDebouncedCallback((text: string) => {
    sought.current = text.trim();
    onSearch(sought.current || undefined);
  }, TYPING_MS);
  // The address may change under the field: "back", a link, or "Clear filters". What the field itself has put
  // there must not come back: it would take away the space before the next word.
  useEffect(() => {
    if (value !== sought.current) {
      sought.current = value;
      setTyped(value);
    }
  }, [value]);
  return (
    <TextInput
      {...box}
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
