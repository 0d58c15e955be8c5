import { Button, Group, Textarea } from "@mantine/core";
import { IconPlayerStop, IconSend } from "@tabler/icons-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import classes from "./Playground.module.css";

export interface CompareComposerProps {
  isRunning: boolean;
  onSend: (text: string) => void;
  onStop: () => void;
}

/** The message that all columns get. */
export function CompareComposer({ isRunning, onSend, onStop }: CompareComposerProps) {
  const { t } = useTranslation();
  const [text, setText] = useState("");
  const send = () => {
    if (text.trim() !== "" && !isRunning) {
      onSend(text);
      setText("");
    }
  };
  return (
    <section className={classes.composer} aria-label={t("playground.composer.label")}>
      <Group className={classes.box} gap="xs" wrap="nowrap" align="flex-end">
        <Textarea
          flex={1}
          variant="unstyled"
          autosize
          minRows={1}
          maxRows={8}
          px={8}
          aria-label={t("playground.composer.message")}
          placeholder={t("playground.compare.placeholder")}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === "Enter" && !event.shiftKey && !event.nativeEvent.isComposing) {
              event.preventDefault();
              send();
            }
          }}
        />
        {isRunning ? (
          <Button
            key="stop"
            size="xs"
            color="red"
            variant="light"
            leftSection={<IconPlayerStop size={15} />}
            onClick={onStop}
          >
            {t("playground.composer.stop")}
          </Button>
        ) : (
          <Button
            key="send"
            size="xs"
            leftSection={<IconSend size={15} />}
            disabled={text.trim() === ""}
            onClick={send}
          >
            {t("playground.composer.send")}
          </Button>
        )}
      </Group>
    </section>
  );
}
