import { Button, Group, Textarea } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";
import { useEffect, useMemo } from "react";
import { useTranslation } from "react-i18next";
import { useOneCall } from "../hooks/useOneCall";
import { RunForm, type SurfaceProps } from "./RunForm";

/** Text that is spoken. */
export function SpeechSurface({ input, onInput, request, blocked }: SurfaceProps) {
  const { t } = useTranslation();
  const call = useOneCall((answer) => answer.blob());
  return (
    <RunForm
      call={call}
      request={request}
      blocked={blocked ?? (input.text.trim() === "" ? t("playground.needText") : undefined)}
      result={(sound) => <Player sound={sound} />}
    >
      <Textarea
        label={t("playground.speech.text")}
        autosize
        minRows={2}
        maxRows={10}
        value={input.text}
        onChange={(event) => onInput({ text: event.currentTarget.value })}
      />
    </RunForm>
  );
}

function Player({ sound }: { sound: Blob }) {
  const { t } = useTranslation();
  const address = useMemo(() => URL.createObjectURL(sound), [sound]);
  useEffect(() => () => URL.revokeObjectURL(address), [address]);
  const name = `speech.${/\/(?:x-)?(\w+)/.exec(sound.type)?.[1] ?? "bin"}`;
  return (
    <Group gap="sm">
      {/* biome-ignore lint/a11y/useMediaCaption: the text that is spoken stands above */}
      <audio controls src={address} aria-label={t("playground.speech.player")} />
      <Button
        size="xs"
        variant="default"
        component="a"
        href={address}
        download={name}
        leftSection={<IconDownload size={14} />}
      >
        {t("playground.download", { name })}
      </Button>
    </Group>
  );
}
