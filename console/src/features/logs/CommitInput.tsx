import { TextInput } from "@mantine/core";
import { useState } from "react";

export interface CommitInputProps {
  label: string;
  value: string | undefined;
  inputMode?: "text" | "decimal" | "numeric";
  placeholder?: string;
  onCommit: (value: string | undefined) => void;
}

/** A filter that matches exactly: it counts on Enter or when the field is left, not by the letter. */
export function CommitInput({ label, value, onCommit, ...field }: CommitInputProps) {
  const [typed, setTyped] = useState<string>();
  const commit = () => {
    if (typed !== undefined && typed.trim() !== (value ?? "")) {
      onCommit(typed.trim() === "" ? undefined : typed.trim());
    }
    setTyped(undefined);
  };
  return (
    <TextInput
      {...field}
      label={label}
      size="sm"
      value={typed ?? value ?? ""}
      onChange={(event) => setTyped(event.currentTarget.value)}
      onBlur={commit}
      onKeyDown={(event) => {
        if (event.key === "Enter") {
          commit();
        }
      }}
    />
  );
}
