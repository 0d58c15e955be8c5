import { Box, Button, Group, Loader, Stack, Text } from "@mantine/core";
import { IconPlayerPlay, IconPlayerStop } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { OneCall } from "../hooks/useOneCall";
import type { CallInput, PreparedRequest } from "../request/prepare";
import { CallFacts } from "../ui/CallFacts";
import { FailureCard } from "../ui/FailureCard";
import classes from "../ui/Playground.module.css";

/** What every surface that is no conversation gets from the page. */
export interface SurfaceProps {
  input: CallInput;
  onInput: (change: Partial<CallInput>) => void;
  /** The request that these inputs make. */
  request: PreparedRequest;
  /** Why nothing can be sent now. */
  blocked: string | undefined;
}

export interface RunFormProps<T> {
  call: OneCall<T>;
  request: PreparedRequest;
  blocked: string | undefined;
  /** The fields. */
  children: ReactNode;
  /** Draws what came. */
  result: (value: T) => ReactNode;
}

/** Fields, a button that sends them, and what came of it. */
export function RunForm<T>({ call, request, blocked, children, result }: RunFormProps<T>) {
  const { t } = useTranslation();
  const { isRunning } = call;
  const run = () => {
    if (blocked === undefined) {
      void call.run(request);
    }
  };
  return (
    <Box className={classes.surface}>
      <Stack gap="md" maw={860} mx="auto">
        <form
          onSubmit={(event) => {
            event.preventDefault();
            run();
          }}
        >
          <Stack gap="md">
            {children}
            <Group gap="sm">
              {isRunning ? (
                <Button
                  key="stop"
                  color="red"
                  variant="light"
                  leftSection={<IconPlayerStop size={16} />}
                  onClick={call.stop}
                >
                  {t("playground.composer.stop")}
                </Button>
              ) : (
                <Button
                  key="run"
                  type="submit"
                  leftSection={<IconPlayerPlay size={16} />}
                  disabled={blocked !== undefined}
                >
                  {t("playground.run")}
                </Button>
              )}
              {blocked !== undefined && (
                <Text size="sm" c="dimmed">
                  {blocked}
                </Text>
              )}
              {isRunning && <Loader size="sm" type="dots" />}
            </Group>
          </Stack>
        </form>
        <Outcome call={call} onRetry={run} result={result} />
      </Stack>
    </Box>
  );
}

interface OutcomeProps<T> {
  call: OneCall<T>;
  onRetry: () => void;
  result: (value: T) => ReactNode;
}

function Outcome<T>({ call, onRetry, result }: OutcomeProps<T>) {
  const { t } = useTranslation();
  const outcome = call.result;
  if (outcome === undefined) {
    return null;
  }
  const { failure, value, requestId, totalMs } = outcome;
  return (
    <section aria-label={t("playground.result")} aria-live="polite">
      {failure !== undefined && (
        <FailureCard key={requestId} failure={failure} requestId={requestId} onRetry={onRetry} />
      )}
      {value !== undefined && result(value)}
      <CallFacts requestId={requestId} totalMs={totalMs} />
    </section>
  );
}
