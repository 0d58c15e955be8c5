import { Group, Text } from "@mantine/core";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { CopyButton } from "@/ui/CopyButton";
import classes from "./CodeBlock.module.css";
import type { ColouredLine } from "./highlight";

export interface CodeBlockProps {
  text: string;
  language: string;
  /** Whether it is still being written: then it is not coloured yet. */
  isOpen?: boolean;
  /** What is shown, where that is less than what is copied. */
  shown?: string;
}

/** Code with the name of its language and a button to copy it. */
export function CodeBlock({ text, language, isOpen = false, shown = text }: CodeBlockProps) {
  const { t } = useTranslation();
  const lines = useColours(shown, language, isOpen);
  return (
    <div className={classes.block}>
      <Group justify="space-between" gap="xs" className={classes.head}>
        <Text size="xs" c="dimmed" ff="monospace">
          {language || t("playground.code.plain")}
        </Text>
        <CopyButton text={text} label={t("playground.code.label")} />
      </Group>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard */}
      <pre className={classes.code} tabIndex={0}>
        <code>{lines === undefined ? shown : lines.map(line)}</code>
      </pre>
    </div>
  );
}

function line(tokens: ColouredLine, index: number) {
  return (
    <span key={index}>
      {tokens.map(({ content, style }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of a finished text do not move
        <span key={at} style={style} className={classes.token}>
          {content}
        </span>
      ))}
      {"\n"}
    </span>
  );
}

/** The coloured lines, once the colours are there; undefined where the language has none. */
function useColours(text: string, language: string, isOpen: boolean): ColouredLine[] | undefined {
  const [coloured, setColoured] = useState<{ text: string; lines: ColouredLine[] }>();
  useEffect(() => {
    if (isOpen || language === "") {
      return undefined;
    }
    let isWanted = true;
    void import("./highlight")
      .then(({ coloursOf }) => coloursOf(text, language))
      .then((lines) => {
        if (isWanted && lines !== undefined) {
          setColoured({ text, lines });
        }
      });
    return () => {
      isWanted = false;
    };
  }, [text, language, isOpen]);
  return coloured?.text === text ? coloured.lines : undefined;
}
