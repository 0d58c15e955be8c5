import { Button, Group, Stack, Text, Textarea } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { memo, useState } from "react";
import { useTranslation } from "react-i18next";
import { type Part, type Turn, textOf } from "../model/conversation";
import type { RawEvents } from "../send/rawEvents";
import { CallFacts } from "./CallFacts";
import { CutNotice } from "./CutNotice";
import { FailureCard } from "./FailureCard";
import { MediaView } from "./MediaView";
import classes from "./Message.module.css";
import { MessageActions, type MessageDeeds } from "./MessageActions";
import { Parts } from "./Parts";
import { RawView } from "./RawView";

export interface MessageProps {
  turn: Turn;
  raw?: RawEvents | undefined;
  results?: ReadonlyMap<string, string> | undefined;
  deeds: MessageDeeds;
  onResult?: ((callId: string, name: string, text: string) => void) | undefined;
  onEdited?: ((parts: Part[]) => void) | undefined;
  onOtherModel?: (() => void) | undefined;
}

/** One message of the conversation, the user's or the model's. */
export const Message = memo(function Message(props: MessageProps) {
  const { t } = useTranslation();
  const isUser = props.turn.role === "user";
  const label = isUser ? t("playground.role.user") : t("playground.role.assistant");
  return (
    <article className={classes.message} aria-label={label}>
      <Text size="xs" c="dimmed" fw={600} mb={4} className={classes.breaks}>
        {isUser ? label : (props.turn.facts?.model ?? label)}
      </Text>
      {isUser ? <Question {...props} /> : <Reply {...props} />}
    </article>
  );
});

function Question({ turn, deeds, onEdited }: MessageProps) {
  const [isEditing, { open, close }] = useDisclosure(false);
  if (isEditing && onEdited !== undefined) {
    return (
      <EditForm
        turn={turn}
        onCancel={close}
        onDone={(parts) => {
          close();
          onEdited(parts);
        }}
      />
    );
  }
  return (
    <>
      <div className={classes.user}>
        {turn.parts.map((part, index) =>
          part.type === "media" ? (
            // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a message do not move
            <MediaView key={index} media={part.media} />
          ) : (
            // biome-ignore lint/suspicious/noArrayIndexKey: see above
            <div key={index} className={classes.plain}>
              {part.type === "text" || part.type === "result" ? part.text : null}
            </div>
          ),
        )}
      </div>
      <MessageActions
        turn={turn}
        deeds={onEdited === undefined ? deeds : { ...deeds, onEdit: open }}
      />
    </>
  );
}

function EditForm({
  turn,
  onDone,
  onCancel,
}: {
  turn: Turn;
  onDone: (parts: Part[]) => void;
  onCancel: () => void;
}) {
  const { t } = useTranslation();
  const [text, setText] = useState(textOf(turn));
  return (
    <Stack gap="xs">
      <Textarea
        autosize
        minRows={2}
        maxRows={16}
        data-autofocus
        aria-label={t("playground.message.edit")}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      <Group gap="xs">
        <Button
          size="xs"
          disabled={text.trim() === ""}
          onClick={() =>
            onDone([{ type: "text", text }, ...turn.parts.filter(({ type }) => type !== "text")])
          }
        >
          {t("playground.message.resendEdited")}
        </Button>
        <Button size="xs" variant="default" onClick={onCancel}>
          {t("playground.cancel")}
        </Button>
      </Group>
    </Stack>
  );
}

function Reply({ turn, raw, results, deeds, onResult, onOtherModel }: MessageProps) {
  const [isRaw, { toggle }] = useDisclosure(false);
  const { facts, parts } = turn;
  return (
    <>
      <Parts parts={parts} isGrowing={false} facts={facts} results={results} onResult={onResult} />
      {facts?.end === "failed" && facts.failure !== undefined && (
        <FailureCard
          failure={facts.failure}
          requestId={facts.requestId}
          onRetry={deeds.onAgain}
          onOtherModel={onOtherModel}
        />
      )}
      {facts !== undefined && (facts.end === "cut" || facts.end === "stopped") && (
        <CutNotice facts={facts} onRetry={deeds.onAgain} />
      )}
      {facts !== undefined && <CallFacts {...facts} />}
      <MessageActions turn={turn} deeds={raw === undefined ? deeds : { ...deeds, onRaw: toggle }} />
      {isRaw && raw !== undefined && <RawView {...raw} />}
    </>
  );
}
