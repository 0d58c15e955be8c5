import { Alert, Button, Code, Group, Loader, Paper, Stack, Text } from "@mantine/core";
import { IconCheck, IconPlayerPlay } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import type { Schema } from "@/api/management";
import { CopyButton, CopyField } from "@/ui/CopyButton";
import { Count } from "@/ui/Count";
import { DataRegion } from "@/ui/DataRegion";
import { Money } from "@/ui/Money";
import { PageHead } from "@/ui/PageHead";
import { RouterAnchor } from "@/ui/RouterAnchor";
import { RouterButton } from "@/ui/RouterButton";
import { type Call, callModel, firstCallOf, makeKey } from "./api";

/** The key, shown once, and the first call with it: run here or anywhere, seen in the log. */
export function CallStep({ channel }: { channel: Schema<"Channel"> }) {
  const { t } = useTranslation();
  const made = useQuery({
    queryKey: ["setup", "key"],
    queryFn: () => makeKey(t("setup.keyName")),
    // A key is made once, however often the page is looked at.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
  const model = channel.models[0]?.split("=", 1)[0] ?? "";
  return (
    <Stack gap="md">
      <PageHead title={t("setup.callTitle")} description={t("setup.callText")} />
      <DataRegion query={made} skeletonHeight={220}>
        {(token) => <FirstCall token={token} model={model} />}
      </DataRegion>
    </Stack>
  );
}

function FirstCall({ token, model }: { token: Schema<"Token">; model: string }) {
  const { t } = useTranslation();
  const key = token.key ?? "";
  const snippet = `curl ${location.origin}/v1/chat/completions \\
  -H "Authorization: Bearer ${key}" \\
  -H "Content-Type: application/json" \\
  -d '{"model": "${model}",
       "messages": [{"role": "user", "content": "Hello"}]}'`;
  const [call, setCall] = useState<Call>();
  const [isBusy, setBusy] = useState(false);
  const [refusal, setRefusal] = useState<string>();
  useEffect(() => {
    const abort = new AbortController();
    firstCallOf(token.id, abort.signal)
      .then(setCall)
      .catch((error: Error) => {
        if (!abort.signal.aborted) {
          setRefusal(error.message);
        }
      });
    return () => abort.abort();
  }, [token.id]);
  const run = async () => {
    setBusy(true);
    setRefusal(undefined);
    try {
      await callModel(key, model);
    } catch (error) {
      setRefusal((error as Error).message);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Stack gap="md">
      <Text size="sm">{t("ui.secretOnce.text")}</Text>
      <CopyField text={key} label={t("setup.key")} />
      <Code block style={{ whiteSpace: "pre-wrap", overflowWrap: "anywhere" }}>
        {snippet}
      </Code>
      <Group gap="xs">
        <CopyButton text={snippet} label={t("setup.snippet")} withText />
        <Button
          size="xs"
          leftSection={<IconPlayerPlay size={15} />}
          loading={isBusy}
          onClick={() => void run()}
        >
          {t("setup.run")}
        </Button>
      </Group>
      {refusal !== undefined && (
        <Alert color="red" variant="light" role="alert">
          {refusal}
        </Alert>
      )}
      <div aria-live="polite">{call === undefined ? <Waiting /> : <LogLine call={call} />}</div>
      {call !== undefined && (
        <Group justify="flex-end">
          <RouterButton to="/console/overview">{t("setup.finish")}</RouterButton>
        </Group>
      )}
    </Stack>
  );
}

function Waiting() {
  const { t } = useTranslation();
  return (
    <Group gap="xs">
      <Loader size="xs" type="dots" />
      <Text size="sm" c="dimmed">
        {t("setup.waiting")}
      </Text>
    </Group>
  );
}

/** The call as the log has it. */
function LogLine({ call }: { call: Call }) {
  const { t } = useTranslation();
  const { input_tokens, output_tokens } = call.usage;
  return (
    <Paper withBorder p="md" role="region" aria-label={t("setup.logLine")}>
      <Group gap="xs" mb="xs">
        <IconCheck size={18} color="var(--mantine-color-green-filled)" />
        <Text fw={600}>{t("setup.arrived")}</Text>
      </Group>
      <Group gap="lg">
        <Fact name={t("setup.model")}>{call.model}</Fact>
        <Fact name={t("setup.tokens")}>
          <Count value={input_tokens + output_tokens} />
        </Fact>
        <Fact name={t("setup.took")}>
          <Count
            value={call.total_ms / 1_000}
            format={{ style: "unit", unit: "second", maximumFractionDigits: 3 }}
          />
        </Fact>
        <Fact name={t("setup.charge")}>
          <Money usd={call.charge_usd} />
        </Fact>
        <RouterAnchor
          to="/console/logs/$requestId"
          params={{ requestId: call.request_id }}
          size="sm"
        >
          {t("setup.openLog")}
        </RouterAnchor>
      </Group>
    </Paper>
  );
}

function Fact({ name, children }: { name: string; children: React.ReactNode }) {
  return (
    <div>
      <Text size="xs" c="dimmed">
        {name}
      </Text>
      <Text size="sm" fw={600}>
        {children}
      </Text>
    </div>
  );
}
