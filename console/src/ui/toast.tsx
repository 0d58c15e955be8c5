// Short messages in the corner. What can be undone is done at once and offers "Undo" for 8 seconds.

import { Button, Group, Text } from "@mantine/core";
import { randomId } from "@mantine/hooks";
import type { NotificationData } from "@mantine/notifications";
import { useTranslation } from "react-i18next";
import { RequestFailure } from "@/api/failure";
import { useRefusalText } from "@/said/useRefusalText";
import { openToaster } from "./Toaster";

const UNDO_MS = 8_000;

/** The library comes with the first message: no page needs it before. */
function withLibrary(use: (library: typeof import("@mantine/notifications")) => void): void {
  void import("@mantine/notifications").then(use);
}

function show(data: NotificationData): void {
  openToaster();
  withLibrary(({ notifications }) => notifications.show({ withBorder: true, ...data }));
}

/** Says that something was done. */
export function toast(message: string): void {
  show({ message });
}

/** Says what was done and how to take it back. */
export function undoToast(message: string, onUndo: () => void): void {
  const id = randomId();
  show({
    id,
    autoClose: UNDO_MS,
    message: (
      <Undo
        message={message}
        onUndo={() => {
          withLibrary(({ notifications }) => notifications.hide(id));
          onUndo();
        }}
      />
    ),
  });
}

/** Says why something was not done, in the gateway's own words where it gave some. */
export function failureToast(error: unknown): void {
  show({ color: "red", message: <Failed error={error} /> });
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
  const text = useRefusalText(error);
  if (!(error instanceof RequestFailure)) {
    return t("ui.failed");
  }
  const { requestId } = error.context;
  return (
    <>
      <Text size="sm">{text ?? t("ui.noAnswer", { path: error.path })}</Text>
      {requestId !== undefined && (
        <Text size="xs" c="dimmed">
          {t("failure.requestId")} {requestId}
        </Text>
      )}
    </>
  );
}
