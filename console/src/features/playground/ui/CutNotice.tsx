import { Alert, Button, Group, Text } from "@mantine/core";
import { IconCut, IconPlayerStop } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { ReplyFacts } from "../model/conversation";
import { callQuery } from "../send/api";
import { useNumbers } from "./numbers";

/** Says that a reply is not whole: stopped by the reader, or cut off on its way. */
export function CutNotice({
  facts,
  onRetry,
}: {
  facts: ReplyFacts;
  onRetry?: (() => void) | undefined;
}) {
  const { t } = useTranslation();
  const { count } = useNumbers();
  const { requestId, end, failure } = facts;
  const { data: call } = useQuery({
    ...callQuery(requestId ?? ""),
    enabled: requestId !== undefined,
  });
  if (end === "stopped") {
    return (
      <Group gap={6} mt="xs" c="dimmed">
        <IconPlayerStop size={15} aria-hidden />
        <Text size="sm">{t("playground.stopped")}</Text>
      </Group>
    );
  }
  const tokens = call?.usage.output_tokens;
  const title =
    tokens === undefined
      ? t("playground.cut.title")
      : t("playground.cut.after", { count: tokens, shown: count(tokens) });
  return (
    <Alert color="orange" variant="light" icon={<IconCut />} title={title} mt="xs">
      {failure !== undefined && failure.message !== "" && (
        <Text size="sm">{t("failure.saying", { detail: failure.message })}</Text>
      )}
      <Text size="sm">{t("playground.cut.text")}</Text>
      {onRetry !== undefined && (
        <Button size="xs" mt="xs" variant="default" onClick={onRetry}>
          {t("action.retry")}
        </Button>
      )}
    </Alert>
  );
}
