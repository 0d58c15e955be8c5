import { Badge, Button, Group, Paper, Stack, Text, Textarea } from "@mantine/core";
import { IconTool } from "@tabler/icons-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { ToolCall } from "../model/conversation";
import { parseJson } from "../request/json";
import { JsonTree } from "./JsonTree";
import classes from "./Message.module.css";

export interface ToolCallCardProps {
  call: ToolCall;
  /** What was answered to it, if it was. */
  result: string | undefined;
  /** Set while the call waits for its result. */
  onResult?: ((text: string) => void) | undefined;
}

/** A call that the model wants made: its name, its arguments, and room for what came of it. */
export function ToolCallCard({ call, result, onResult }: ToolCallCardProps) {
  const { t } = useTranslation();
  const value = parseJson(call.arguments);
  return (
    <Paper
      withBorder
      p="sm"
      className={classes.tool}
      role="group"
      aria-label={t("playground.tool.label", { name: call.name })}
    >
      <Group gap="xs" mb={6}>
        <IconTool size={16} aria-hidden />
        <Text size="sm" fw={600} ff="monospace" className={classes.breaks}>
          {call.name}
        </Text>
        {result === undefined && onResult !== undefined && (
          <Badge size="sm" variant="light" color="yellow">
            {t("playground.tool.waits")}
          </Badge>
        )}
      </Group>
      {value === undefined ? (
        <Text size="sm" ff="monospace" className={classes.plain}>
          {call.arguments}
        </Text>
      ) : (
        <JsonTree value={value} />
      )}
      {result !== undefined && (
        <Stack gap={2} mt="xs">
          <Text size="xs" c="dimmed">
            {t("playground.tool.result")}
          </Text>
          <Text size="sm" ff="monospace" className={classes.plain}>
            {result}
          </Text>
        </Stack>
      )}
      {result === undefined && onResult !== undefined && (
        <ResultForm name={call.name} onResult={onResult} />
      )}
    </Paper>
  );
}

function ResultForm({ name, onResult }: { name: string; onResult: (text: string) => void }) {
  const { t } = useTranslation();
  const [text, setText] = useState("");
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onResult(text);
      }}
    >
      <Textarea
        mt="xs"
        autosize
        minRows={1}
        maxRows={8}
        label={t("playground.tool.resultOf", { name })}
        placeholder={t("playground.tool.placeholder")}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        classNames={{ input: classes.mono ?? "" }}
      />
      <Button type="submit" size="xs" mt="xs">
        {t("playground.tool.continue")}
      </Button>
    </form>
  );
}
