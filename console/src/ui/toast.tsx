// Short messages in the corner. What can be undone is done at once and offers "Undo" for 8 seconds.

import { Button, Group, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useTranslation } from "react-i18next";
import { RequestFailure } from "@/api/failure";

const UNDO_MS = 8_000;

/** Says that something was done. */
export function toast(message: string): void {
  notifications.show({ message, withBorder: true });
}

/** Says what was done and how to take it back. */
export function undoToast(message: string, onUndo: () => void): void {
  const id = notifications.show({
    withBorder: true,
    autoClose: UNDO_MS,
    message: (
      <Undo
        message={message}
        onUndo={() => {
          notifications.hide(id);
          onUndo();
        }}
      />
    ),
  });
}

/** Says why something was not done, in the gateway's own words where it gave some. */
export function failureToast(error: unknown): void {
  notifications.show({ color: "red", withBorder: true, message: <Failed error={error} /> });
}

function Undo({ message, onUndo }: { message: string; onUndo: () => void }) {
  const { t } = useTranslation();
  return (
    <Group justify="space-between" wrap="nowrap">
      <Text size="sm" style={{ overflowWrap: "anywhere" }}>
        {message}
      </Text>
      <Button size="compact-sm" variant="light" onClick={onUndo}>
        {t("ui.undo")}
      </Button>
    </Group>
  );
}

function Failed({ error }: { error: unknown }) {
  const { t } = useTranslation();
  if (!(error instanceof RequestFailure)) {
    return t("ui.failed");
  }
  const { detail, requestId } = error.context;
  return (
    <>
      <Text size="sm">{detail ?? t("ui.noAnswer", { path: error.path })}</Text>
      {requestId !== undefined && (
        <Text size="xs" c="dimmed">
          {t("failure.requestId")} {requestId}
        </Text>
      )}
    </>
  );
}
