import { Text, TextInput, type TextInputProps } from "@mantine/core";

/** An amount of dollars as text, so that no digit is lost; the form validates it. */
export function DollarInput(props: TextInputProps) {
  return (
    <TextInput
      inputMode="decimal"
      autoComplete="off"
      leftSection={
        <Text span size="sm" c="dimmed">
          {"$"}
        </Text>
      }
      {...props}
    />
  );
}
