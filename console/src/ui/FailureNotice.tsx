import { Alert, Button, Code, Stack, Text } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { type FailureKind, RequestFailure } from "@/api/failure";
import { useRefusalText } from "@/said/useRefusalText";

const TEXTS = {
  unreachable: {
    what: "failure.unreachable.what",
    fault: "failure.unreachable.fault",
    remedy: "failure.unreachable.remedy",
  },
  timeout: {
    what: "failure.timeout.what",
    fault: "failure.timeout.fault",
    remedy: "failure.timeout.remedy",
  },
  refused: {
    what: "failure.refused.what",
    fault: "failure.refused.fault",
    remedy: "failure.refused.remedy",
  },
  broken: {
    what: "failure.broken.what",
    fault: "failure.broken.fault",
    remedy: "failure.broken.remedy",
  },
  malformed: {
    what: "failure.malformed.what",
    fault: "failure.malformed.fault",
    remedy: "failure.malformed.remedy",
  },
} as const satisfies Record<FailureKind, Record<"what" | "fault" | "remedy", string>>;

export interface FailureNoticeProps {
  failure: Error;
  onRetry: () => void;
  isRetrying: boolean;
}

/** What happened, whose fault it is, what to do, the request id; always in this order. */
export function FailureNotice({ failure, onRetry, isRetrying }: FailureNoticeProps) {
  const { t } = useTranslation();
  const detail = useRefusalText(failure);
  if (!(failure instanceof RequestFailure)) {
    throw failure;
  }
  const texts = TEXTS[failure.kind];
  const { status, requestId } = failure.context;
  const isMissing = status === 404;
  return (
    <Alert
      color="red"
      variant="light"
      icon={<IconAlertTriangle />}
      title={t(texts.what, { path: failure.path, status })}
    >
      <Stack gap="xs" align="flex-start">
        {detail !== undefined && <Text size="sm">{t("failure.saying", { detail })}</Text>}
        <Text size="sm">{t(isMissing ? "failure.missing.fault" : texts.fault)}</Text>
        <Text size="sm">{t(isMissing ? "failure.missing.remedy" : texts.remedy)}</Text>
        {requestId !== undefined && (
          <Text size="sm">
            {t("failure.requestId")} <Code>{requestId}</Code>
          </Text>
        )}
        <Button size="xs" variant="default" onClick={onRetry} loading={isRetrying}>
          {t("action.retry")}
        </Button>
      </Stack>
    </Alert>
  );
}
