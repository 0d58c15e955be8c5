import { ActionIcon, Button, Code, Group, Tooltip } from "@mantine/core";
import { IconCheck, IconCopy } from "@tabler/icons-react";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { copyText } from "@/lib/copyText";

const FEEDBACK_MS = 2_000;

function useCopy(text: string): { state: "idle" | "copied" | "failed"; copy: () => void } {
  const [state, setState] = useState<"idle" | "copied" | "failed">("idle");
  useEffect(() => {
    if (state === "idle") {
      return undefined;
    }
    const timer = setTimeout(() => setState("idle"), FEEDBACK_MS);
    return () => clearTimeout(timer);
  }, [state]);
  return {
    state,
    copy: () => void copyText(text).then((isCopied) => setState(isCopied ? "copied" : "failed")),
  };
}

const STATE_TEXT = { idle: "ui.copy", copied: "ui.copied", failed: "ui.copyFailed" } as const;

export interface CopyButtonProps {
  /** What is copied. */
  text: string;
  /** What is copied, in words, for those who do not see it beside the button. */
  label: string;
  /** A word beside the icon, for places where the button stands alone. */
  withText?: boolean;
}

/** Copies, says so, and announces it. */
export function CopyButton({ text, label, withText = false }: CopyButtonProps) {
  const { t } = useTranslation();
  const { state, copy } = useCopy(text);
  const Icon = state === "copied" ? IconCheck : IconCopy;
  const said = t(STATE_TEXT[state]);
  const announcement = (
    <span role="status" className="mantine-visually-hidden" style={HIDDEN}>
      {state === "idle" ? "" : said}
    </span>
  );
  if (withText) {
    return (
      <>
        <Button
          variant="default"
          size="xs"
          leftSection={<Icon size={15} />}
          onClick={copy}
          aria-label={t("ui.copyThis", { what: label })}
        >
          {said}
        </Button>
        {announcement}
      </>
    );
  }
  return (
    <>
      <Tooltip label={said}>
        <ActionIcon
          variant="subtle"
          color={state === "copied" ? "green" : "gray"}
          onClick={copy}
          aria-label={t("ui.copyThis", { what: label })}
        >
          <Icon size={16} />
        </ActionIcon>
      </Tooltip>
      {announcement}
    </>
  );
}

const HIDDEN = {
  position: "absolute",
  width: 1,
  height: 1,
  overflow: "hidden",
  clipPath: "inset(50%)",
} as const;

/** A value to be copied rather than read: one line that breaks anywhere, with its button. */
export function CopyField({ text, label }: Omit<CopyButtonProps, "withText">) {
  return (
    <Group gap={4} wrap="nowrap" align="center">
      <Code style={{ overflowWrap: "anywhere", flex: 1 }} p="xs" fz="sm">
        {text}
      </Code>
      <CopyButton text={text} label={label} />
    </Group>
  );
}
