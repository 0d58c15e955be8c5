import {
  Alert,
  Badge,
  Box,
  Button,
  Code,
  Group,
  Paper,
  SegmentedControl,
  Stack,
  Text,
  TextInput,
} from "@mantine/core";
import {
  IconMicrophone,
  IconPlayerStop,
  IconPlug,
  IconPlugOff,
  IconSend,
} from "@tabler/icons-react";
import { useEffect, useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { type Realtime, useRealtime } from "../hooks/useRealtime";
import { useRecorder } from "../hooks/useRecorder";
import { FailureCard } from "../ui/FailureCard";
import messageClasses from "../ui/Message.module.css";
import classes from "../ui/Playground.module.css";
import { RealtimeEvents } from "./RealtimeEvents";
import type { SurfaceProps } from "./RunForm";

const STATUS_TEXT = {
  idle: "playground.realtime.idle",
  connecting: "playground.realtime.connecting",
  open: "playground.realtime.open",
  closed: "playground.realtime.closed",
} as const;

/** A conversation over a web socket, written or spoken, with every event in view. */
export function RealtimeSurface({ request, blocked }: SurfaceProps) {
  const { t } = useTranslation();
  const realtime = useRealtime();
  const [modality, setModality] = useState<"text" | "audio">("text");
  const isOpen = realtime.status === "open";
  return (
    <Box className={classes.surface}>
      <Stack gap="md" maw={860} mx="auto">
        <Group gap="sm">
          {isOpen ? (
            <Button
              key="disconnect"
              variant="default"
              leftSection={<IconPlugOff size={16} />}
              onClick={realtime.disconnect}
            >
              {t("playground.realtime.disconnect")}
            </Button>
          ) : (
            <Button
              key="connect"
              leftSection={<IconPlug size={16} />}
              loading={realtime.status === "connecting"}
              disabled={blocked !== undefined}
              onClick={() => void realtime.connect(request, modality)}
            >
              {t("playground.realtime.connect")}
            </Button>
          )}
          <SegmentedControl
            size="xs"
            aria-label={t("playground.realtime.modality")}
            disabled={isOpen}
            data={[
              { value: "text", label: t("playground.realtime.text") },
              { value: "audio", label: t("playground.realtime.audio") },
            ]}
            value={modality}
            onChange={(value) => setModality(value as typeof modality)}
          />
          <Badge variant="default" role="status">
            {t(STATUS_TEXT[realtime.status])}
          </Badge>
          {blocked !== undefined && (
            <Text size="sm" c="dimmed">
              {blocked}
            </Text>
          )}
        </Group>
        {realtime.failure !== undefined && (
          <FailureCard failure={realtime.failure} requestId={realtime.requestId} />
        )}
        {isOpen && <SayForm realtime={realtime} />}
        <ReplyView realtime={realtime} />
        {realtime.close !== undefined && <CloseNotice {...realtime.close} />}
        {realtime.events.length > 0 && <RealtimeEvents events={realtime.events} />}
      </Stack>
    </Box>
  );
}

function SayForm({ realtime }: { realtime: Realtime }) {
  const { t } = useTranslation();
  const [message, setMessage] = useState("");
  const recorder = useRecorder((file) => void realtime.speak(file));
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (message.trim() !== "") {
          realtime.say(message);
          setMessage("");
        }
      }}
    >
      <Group gap="xs" align="flex-end" wrap="nowrap">
        <TextInput
          flex={1}
          label={t("playground.composer.message")}
          value={message}
          onChange={(event) => setMessage(event.currentTarget.value)}
        />
        <Button type="submit" leftSection={<IconSend size={15} />}>
          {t("playground.composer.send")}
        </Button>
        <Button
          variant="default"
          disabled={!recorder.isAvailable}
          leftSection={
            recorder.isRecording ? <IconPlayerStop size={15} /> : <IconMicrophone size={15} />
          }
          onClick={recorder.toggle}
        >
          {t(recorder.isRecording ? "playground.transcript.stop" : "playground.realtime.speak")}
        </Button>
      </Group>
    </form>
  );
}

function ReplyView({ realtime: { reply, sound } }: { realtime: Realtime }) {
  const { t } = useTranslation();
  const address = useMemo(
    () => (sound === undefined ? undefined : URL.createObjectURL(sound)),
    [sound],
  );
  useEffect(
    () => () => {
      if (address !== undefined) {
        URL.revokeObjectURL(address);
      }
    },
    [address],
  );
  if (reply === "") {
    return null;
  }
  return (
    <Paper withBorder p="md" role="group" aria-label={t("playground.role.assistant")}>
      <Text className={messageClasses.plain}>{reply}</Text>
      {address !== undefined && (
        // biome-ignore lint/a11y/useMediaCaption: what is spoken stands above
        <audio controls src={address} aria-label={t("playground.speech.player")} />
      )}
    </Paper>
  );
}

const CODE_TEXT: Readonly<Record<number, CloseText>> = {
  1000: "playground.close.1000",
  1001: "playground.close.1001",
  1006: "playground.close.1006",
  1008: "playground.close.1008",
  1009: "playground.close.1009",
  1011: "playground.close.1011",
  1012: "playground.close.1012",
  1013: "playground.close.1013",
};

type CloseText =
  | "playground.close.1000"
  | "playground.close.1001"
  | "playground.close.1006"
  | "playground.close.1008"
  | "playground.close.1009"
  | "playground.close.1011"
  | "playground.close.1012"
  | "playground.close.1013"
  | "playground.close.other";

function CloseNotice({ code, reason }: { code: number; reason: string }) {
  const { t } = useTranslation();
  return (
    <Alert
      variant="light"
      color={code === 1000 ? "gray" : "orange"}
      title={t("playground.close.title", { code })}
    >
      <Text size="sm">{t(CODE_TEXT[code] ?? "playground.close.other")}</Text>
      {reason !== "" && <Code>{reason}</Code>}
    </Alert>
  );
}
