import { Button, FileInput, Group, Stack, Table, Text } from "@mantine/core";
import { IconFileMusic, IconMicrophone, IconPlayerStop } from "@tabler/icons-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useOneCall } from "../hooks/useOneCall";
import { useRecorder } from "../hooks/useRecorder";
import { readMedia } from "../send/body";
import { count, fields, list, text } from "../stream/fields";
import { MediaView } from "../ui/MediaView";
import messageClasses from "../ui/Message.module.css";
import { useNumbers } from "../ui/numbers";
import { RunForm, type SurfaceProps } from "./RunForm";

interface Transcript {
  text: string;
  segments: { start: number; end: number; text: string }[];
}

/** Sound that is written down: from a file, or recorded here. */
export function TranscriptSurface({ input, onInput, request, blocked }: SurfaceProps) {
  const { t } = useTranslation();
  const [file, setFile] = useState<File | null>(null);
  const call = useOneCall(readTranscript);
  const take = async (chosen: File | null) => {
    setFile(chosen);
    onInput({ files: chosen === null ? [] : [await readMedia(chosen)] });
  };
  const recorder = useRecorder((recorded) => void take(recorded));
  const [media] = input.files;
  return (
    <RunForm
      call={call}
      request={request}
      blocked={blocked ?? (media === undefined ? t("playground.transcript.need") : undefined)}
      result={(transcript) => <TranscriptView transcript={transcript} />}
    >
      <Group align="flex-end" gap="sm">
        <FileInput
          flex={1}
          miw={180}
          clearable
          label={t("playground.transcript.file")}
          accept="audio/*,video/mp4,video/webm"
          leftSection={<IconFileMusic size={16} />}
          value={file}
          onChange={(chosen) => void take(chosen)}
        />
        <Button
          variant="default"
          leftSection={
            recorder.isRecording ? <IconPlayerStop size={16} /> : <IconMicrophone size={16} />
          }
          disabled={!recorder.isAvailable}
          onClick={recorder.toggle}
        >
          {t(recorder.isRecording ? "playground.transcript.stop" : "playground.transcript.record")}
        </Button>
      </Group>
      {(!recorder.isAvailable || recorder.isRefused) && (
        <Text size="sm" c="dimmed">
          {t(
            recorder.isRefused ? "playground.transcript.refused" : "playground.transcript.insecure",
          )}
        </Text>
      )}
      {media !== undefined && <MediaView media={media} />}
    </RunForm>
  );
}

/** The formats for machines are JSON, the others are texts already. */
async function readTranscript(answer: Response): Promise<Transcript> {
  const body = await answer.text();
  if (answer.headers.get("content-type")?.includes("json") !== true) {
    return { text: body, segments: [] };
  }
  const parsed = fields(JSON.parse(body));
  const segments = list(parsed.segments).map((item) => {
    const { start, end, text: said } = fields(item);
    return { start: count(start) ?? 0, end: count(end) ?? 0, text: text(said) };
  });
  return { text: text(parsed.text), segments };
}

function TranscriptView({ transcript }: { transcript: Transcript }) {
  const { t } = useTranslation();
  const { decimal } = useNumbers();
  return (
    <Stack gap="md">
      <Text className={messageClasses.plain}>{transcript.text}</Text>
      {transcript.segments.length > 0 && (
        <Table aria-label={t("playground.transcript.segments")}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th ta="end">{t("playground.transcript.from")}</Table.Th>
              <Table.Th ta="end">{t("playground.transcript.to")}</Table.Th>
              <Table.Th>{t("playground.embedding.text")}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {transcript.segments.map(({ start, end, text: said }) => (
              <Table.Tr key={start}>
                <Table.Td ta="end">{decimal(start, 2)}</Table.Td>
                <Table.Td ta="end">{decimal(end, 2)}</Table.Td>
                <Table.Td>{said}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
    </Stack>
  );
}
