import { Group, Stack, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { StatusBadge } from "@/ui/StatusBadge";
import type { Note } from "./api";
import { useEntityName } from "./useEntityName";
import { EFFECT_TEXT, EFFECT_TONES, wordOf } from "./words";

/** What could not be carried over as it was, and why. */
export function Notes({ notes }: { notes: readonly Note[] }) {
  const { t } = useTranslation();
  if (notes.length === 0) {
    return null;
  }
  return (
    <Stack gap="xs">
      <Text size="sm" fw={600}>
        {t("imports.notes")}
      </Text>
      <Stack component="ul" gap="sm" m={0} p={0} style={{ listStyle: "none" }}>
        {notes.map((note) => (
          <Line key={`${note.entity} ${note.effect} ${note.reason}`} note={note} />
        ))}
      </Stack>
    </Stack>
  );
}

function Line({ note }: { note: Note }) {
  const { t } = useTranslation();
  const entity = useEntityName();
  const effect = wordOf(EFFECT_TEXT, note.effect);
  const more = note.count - note.items.length;
  return (
    <li>
      <Group gap="xs">
        <StatusBadge
          tone={EFFECT_TONES[note.effect] ?? "idle"}
          label={effect === undefined ? note.effect : t(effect)}
        />
        <Text size="sm" fw={500}>
          {t("imports.countOf", { entity: entity(note.entity), count: note.count })}
        </Text>
      </Group>
      <Text size="sm" style={{ overflowWrap: "anywhere" }}>
        {note.reason}
      </Text>
      {note.items.length > 0 && (
        <Text size="xs" c="dimmed" style={{ overflowWrap: "anywhere" }}>
          {note.items.join(", ")}
          {more > 0 ? ` (+${more})` : ""}
        </Text>
      )}
    </li>
  );
}
