import { Button, Group, Stack, Textarea } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { addNote } from "./api";
import { useIncidentAct } from "./useIncidentAct";

/** A note stays with the incident, with its writer and time. */
export function NoteForm({ incidentId }: { incidentId: number }) {
  const { t } = useTranslation();
  const [text, setText] = useState("");
  const note = useIncidentAct(
    (words: string) => addNote(incidentId, words),
    () => setText(""),
  );
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        note.mutate(text.trim());
      }}
    >
      <Stack gap="xs">
        <Textarea
          label={t("incidents.note")}
          autosize
          minRows={2}
          maxLength={4000}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        <Group justify="flex-end">
          <Button
            type="submit"
            variant="default"
            size="xs"
            loading={note.isPending}
            disabled={text.trim() === ""}
          >
            {t("incidents.addNote")}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
