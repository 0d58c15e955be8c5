import { Alert, Button, Code, Group, Stack, Text } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import type { CallFailure } from "../model/conversation";

export interface FailureCardProps {
  failure: CallFailure;
  requestId?: string | undefined;
  onRetry?: (() => void) | undefined;
  /** Opens the choice of another model. */
  onOtherModel?: (() => void) | undefined;
}

/** What happened, whose fault it is, what to do, the request id; always in this order. */
export function FailureCard({ failure, requestId, onRetry, onOtherModel }: FailureCardProps) {
  const { t } = useTranslation();
  const texts = TEXTS[kindOf(failure)];
  const left = useCountdown(failure);
  const { message, type, code, param } = failure;
  const words = Object.entries({ type, code, param }).filter(([, value]) => value !== undefined);
  return (
    <Alert
      color="red"
      variant="light"
      icon={<IconAlertTriangle />}
      title={t(texts.what, { status: failure.status })}
    >
      <Stack gap="xs" align="flex-start">
        {message !== "" && (
          <Text size="sm" style={{ overflowWrap: "anywhere" }}>
            {t("failure.saying", { detail: message })}
          </Text>
        )}
        <Text size="sm">{t(texts.fault)}</Text>
        <Text size="sm">{t(texts.remedy)}</Text>
        {words.length > 0 && (
          <Group gap={6}>
            {words.map(([name, value]) => (
              <Code key={name}>{`${name}: ${value}`}</Code>
            ))}
          </Group>
        )}
        {requestId !== undefined && (
          <Text size="sm" style={{ overflowWrap: "anywhere" }}>
            {t("failure.requestId")} <Code>{requestId}</Code>
          </Text>
        )}
        <Group gap="xs">
          {onRetry !== undefined && (
            <Button size="xs" variant="default" onClick={onRetry} disabled={left > 0}>
              {left > 0 ? t("playground.failure.retryIn", { count: left }) : t("action.retry")}
            </Button>
          )}
          {failure.status === 402 && (
            <Button size="xs" component={Link} to="/console/wallet">
              {t("playground.failure.topUp")}
            </Button>
          )}
          {onOtherModel !== undefined && (
            <Button size="xs" variant="default" onClick={onOtherModel}>
              {t("playground.failure.otherModel")}
            </Button>
          )}
        </Group>
      </Stack>
    </Alert>
  );
}

/** Seconds until the gateway wants to be asked again. */
function useCountdown({ retryAfter = 0 }: CallFailure): number {
  const [left, setLeft] = useState(Math.ceil(retryAfter));
  useEffect(() => {
    if (left <= 0) {
      return undefined;
    }
    const timer = setTimeout(() => setLeft(left - 1), 1_000);
    return () => clearTimeout(timer);
  }, [left]);
  return left;
}

type Kind = "balance" | "rate" | "model" | "plan" | "refused" | "upstream" | "gateway" | "lost";

function kindOf({ status, code }: CallFailure): Kind {
  switch (status) {
    case undefined:
      return "lost";
    case 402:
      return "balance";
    case 403:
      return "plan";
    case 404:
      return "model";
    case 429:
      return code === "insufficient_quota" ? "balance" : "rate";
    case 500:
      return "gateway";
    default:
      return status > 500 ? "upstream" : "refused";
  }
}

const TEXTS = {
  balance: {
    what: "playground.failure.balance.what",
    fault: "playground.failure.balance.fault",
    remedy: "playground.failure.balance.remedy",
  },
  rate: {
    what: "playground.failure.rate.what",
    fault: "playground.failure.rate.fault",
    remedy: "playground.failure.rate.remedy",
  },
  model: {
    what: "playground.failure.model.what",
    fault: "playground.failure.model.fault",
    remedy: "playground.failure.model.remedy",
  },
  plan: {
    what: "playground.failure.plan.what",
    fault: "playground.failure.plan.fault",
    remedy: "playground.failure.plan.remedy",
  },
  refused: {
    what: "playground.failure.refused.what",
    fault: "playground.failure.refused.fault",
    remedy: "playground.failure.refused.remedy",
  },
  upstream: {
    what: "playground.failure.upstream.what",
    fault: "playground.failure.upstream.fault",
    remedy: "playground.failure.upstream.remedy",
  },
  gateway: {
    what: "playground.failure.gateway.what",
    fault: "playground.failure.gateway.fault",
    remedy: "playground.failure.gateway.remedy",
  },
  lost: {
    what: "playground.failure.lost.what",
    fault: "playground.failure.lost.fault",
    remedy: "playground.failure.lost.remedy",
  },
} as const satisfies Record<Kind, Record<"what" | "fault" | "remedy", string>>;
