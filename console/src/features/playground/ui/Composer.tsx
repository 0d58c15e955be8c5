import {
  ActionIcon,
  Button,
  CloseButton,
  FileButton,
  Group,
  Menu,
  Text,
  Textarea,
  Tooltip,
} from "@mantine/core";
import { IconPaperclip, IconPlayerStop, IconSend, IconSettings } from "@tabler/icons-react";
import { type KeyboardEvent, type Ref, useState } from "react";
import { useTranslation } from "react-i18next";
import { readPreference, storePreference } from "@/lib/preference";
import type { Attachments } from "../hooks/useAttachments";
import type { Estimate } from "../model/models";
import { Estimated } from "./Estimated";
import { MediaView } from "./MediaView";
import classes from "./Playground.module.css";

export interface ComposerProps {
  text: string;
  onText: (text: string) => void;
  attachments: Attachments;
  isRunning: boolean;
  /** Why nothing can be sent now. */
  blocked: string | undefined;
  estimate: Estimate | undefined;
  onSend: () => void;
  onStop: () => void;
  inputRef?: Ref<HTMLTextAreaElement>;
}

/** Where a message is written. */
export function Composer(props: ComposerProps) {
  const { text, onText, attachments, isRunning, blocked, onSend } = props;
  const { t } = useTranslation();
  const [doesEnterSend, setEnterSends] = useEnterSends();
  const [isOver, setOver] = useState(false);
  const isEmpty = text.trim() === "" && attachments.media.length === 0;
  const canSend = !isRunning && !isEmpty && blocked === undefined;
  const onKeyDown = (event: KeyboardEvent) => {
    if (sends(event, doesEnterSend)) {
      event.preventDefault();
      if (canSend) {
        onSend();
      }
    }
  };
  return (
    <section className={classes.composer} aria-label={t("playground.composer.label")}>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: dropping files is an extra way beside the button */}
      <div
        className={classes.box}
        data-over={isOver}
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={(event) => {
          event.preventDefault();
          setOver(false);
          attachments.add([...event.dataTransfer.files]);
        }}
      >
        <AttachedList attachments={attachments} />
        <Textarea
          ref={props.inputRef ?? null}
          variant="unstyled"
          autosize
          minRows={1}
          maxRows={12}
          px={8}
          aria-label={t("playground.composer.message")}
          placeholder={t("playground.composer.placeholder")}
          value={text}
          onChange={(event) => onText(event.currentTarget.value)}
          onKeyDown={onKeyDown}
          onPaste={(event) => {
            if (event.clipboardData.files.length > 0) {
              event.preventDefault();
              attachments.add([...event.clipboardData.files]);
            }
          }}
        />
        <Group gap={6} justify="space-between" wrap="nowrap">
          <Group gap={4} wrap="nowrap" style={{ minWidth: 0 }}>
            <AttachButton attachments={attachments} />
            <EnterMenu value={doesEnterSend} onChange={setEnterSends} />
            <Estimated estimate={props.estimate} />
          </Group>
          {isRunning ? (
            <Button
              size="xs"
              color="red"
              variant="light"
              leftSection={<IconPlayerStop size={15} />}
              onClick={props.onStop}
            >
              {t("playground.composer.stop")}
            </Button>
          ) : (
            <Tooltip label={blocked} disabled={blocked === undefined}>
              <Button
                size="xs"
                leftSection={<IconSend size={15} />}
                data-disabled={!canSend}
                aria-disabled={!canSend}
                onClick={() => {
                  if (canSend) {
                    onSend();
                  }
                }}
              >
                {t("playground.composer.send")}
              </Button>
            </Tooltip>
          )}
        </Group>
      </div>
      {(blocked !== undefined || attachments.problem !== undefined) && (
        <Text size="xs" c="red" mt={4} role="alert">
          {attachments.problem ?? blocked}
        </Text>
      )}
    </section>
  );
}

/** Enter sends unless it finishes a word of an input method; the other way round it takes Ctrl. */
function sends(event: KeyboardEvent, doesEnterSend: boolean): boolean {
  if (event.key !== "Enter" || event.nativeEvent.isComposing) {
    return false;
  }
  const isModified = event.ctrlKey || event.metaKey;
  return isModified || (doesEnterSend && !event.shiftKey);
}

const ENTER_KEY = "modelgate.playground.enter";

function useEnterSends(): [boolean, (value: boolean) => void] {
  const [value, setValue] = useState(() => readPreference(ENTER_KEY) !== "newline");
  const change = (next: boolean) => {
    setValue(next);
    storePreference(ENTER_KEY, next ? "send" : "newline");
  };
  return [value, change];
}

function EnterMenu({ value, onChange }: { value: boolean; onChange: (value: boolean) => void }) {
  const { t } = useTranslation();
  return (
    <Menu position="top-start">
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={t("playground.composer.options")}>
          <IconSettings size={17} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.RadioGroup
          value={value ? "send" : "newline"}
          onChange={(next) => onChange(next === "send")}
        >
          <Menu.RadioItem value="send">{t("playground.composer.enterSends")}</Menu.RadioItem>
          <Menu.RadioItem value="newline">{t("playground.composer.enterBreaks")}</Menu.RadioItem>
        </Menu.RadioGroup>
      </Menu.Dropdown>
    </Menu>
  );
}

function AttachButton({ attachments }: { attachments: Attachments }) {
  const { t } = useTranslation();
  const { accept, whyNot } = attachments;
  return (
    <FileButton multiple accept={accept} onChange={(files) => attachments.add(files)}>
      {(button) => (
        <Tooltip label={whyNot ?? t("playground.composer.attach")}>
          <ActionIcon
            {...button}
            variant="subtle"
            color="gray"
            aria-label={t("playground.composer.attach")}
            aria-disabled={whyNot !== undefined}
            data-disabled={whyNot !== undefined}
            {...(whyNot === undefined
              ? {}
              : { onClick: () => attachments.explain(), "aria-description": whyNot })}
          >
            <IconPaperclip size={17} />
          </ActionIcon>
        </Tooltip>
      )}
    </FileButton>
  );
}

function AttachedList({ attachments }: { attachments: Attachments }) {
  const { t } = useTranslation();
  if (attachments.media.length === 0) {
    return null;
  }
  return (
    <Group gap="xs" p={6} align="flex-start">
      {attachments.media.map((media, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two files may be the same in everything
        <Group key={index} gap={2} align="flex-start" wrap="nowrap">
          <MediaView media={media} size={72} />
          <CloseButton
            size="sm"
            aria-label={t("playground.composer.remove", { name: media.name })}
            onClick={() => attachments.remove(index)}
          />
        </Group>
      ))}
    </Group>
  );
}
