import { ActionIcon, Button, Group, Stack, Text, Textarea } from "@mantine/core";
import { IconPlus, IconTrash } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";

export interface TextListProps {
  label: string;
  texts: readonly string[];
  onChange: (texts: string[]) => void;
}

/** Several texts, one field each. */
export function TextList({ label, texts, onChange }: TextListProps) {
  const { t } = useTranslation();
  const shown = texts.length === 0 ? [""] : texts;
  return (
    <Stack gap="xs" role="group" aria-label={label}>
      <Text size="sm" fw={500}>
        {label}
      </Text>
      {shown.map((text, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a field is its place in the list
        <Group key={index} gap="xs" wrap="nowrap" align="flex-start">
          <Textarea
            flex={1}
            autosize
            minRows={1}
            maxRows={6}
            aria-label={t("playground.list.item", { label, number: index + 1 })}
            value={text}
            onChange={(event) => onChange(shown.with(index, event.currentTarget.value))}
          />
          <ActionIcon
            variant="subtle"
            color="gray"
            size={36}
            aria-label={t("playground.list.remove", { number: index + 1 })}
            disabled={shown.length === 1}
            onClick={() => onChange(shown.toSpliced(index, 1))}
          >
            <IconTrash size={16} />
          </ActionIcon>
        </Group>
      ))}
      <Button
        variant="default"
        size="xs"
        leftSection={<IconPlus size={14} />}
        style={{ alignSelf: "flex-start" }}
        onClick={() => onChange([...shown, ""])}
      >
        {t("playground.list.add")}
      </Button>
    </Stack>
  );
}
