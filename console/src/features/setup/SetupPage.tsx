import { Anchor, Group, Progress, Stack, Text } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { isRefusal } from "@/api/failure";
import type { Schema } from "@/api/management";
import { beginSession, statusQuery } from "@/session/session";
import { PageHead } from "@/ui/PageHead";
import { RouterAnchor } from "@/ui/RouterAnchor";
import { type Mode, setUp } from "./api";
import { CallStep } from "./CallStep";
import { SourceStep } from "./SourceStep";
import { UseStep } from "./UseStep";
import { type Root, YouStep } from "./YouStep";

const STEPS = ["setup.you", "setup.use", "setup.source", "setup.call"] as const;

/** From the link that the gateway printed to the first priced and logged call, in four steps. */
export function SetupPage({ code }: { code: string | undefined }) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const status = useQuery(statusQuery);
  const [step, setStep] = useState(0);
  const [root, setRoot] = useState<Root>({ code: code ?? "", username: "root", password: "" });
  const [mode, setMode] = useState<Mode>("personal");
  const [refused, setRefused] = useState<Error>();
  const [channel, setChannel] = useState<Schema<"Channel">>();

  // Only the very first look counts: this page itself makes the answer change.
  const [wasSetUp] = useState(status.data?.is_set_up);
  if ((wasSetUp ?? status.data?.is_set_up) === true && step === 0) {
    return <DoneBefore />;
  }
  const claim = async (isDemo: boolean) => {
    try {
      const user = await setUp({ ...root, mode, demo: isDemo });
      beginSession(client, user);
    } catch (error) {
      if (isRefusal(error, "setup_code_wrong", "rate_limit_exceeded", "invalid_request")) {
        setRefused(error);
        setStep(0);
      }
      throw error;
    }
  };
  return (
    <Stack gap="lg">
      <Stack gap="xs">
        <Group justify="space-between">
          <Text size="sm" c="dimmed">
            {t("setup.step", { step: step + 1, steps: STEPS.length })}
          </Text>
          <Text size="sm" fw={600}>
            {t(STEPS[step] ?? "setup.you")}
          </Text>
        </Group>
        <Progress
          value={((step + 1) / STEPS.length) * 100}
          size="sm"
          aria-label={t("setup.progress")}
        />
      </Stack>
      {step === 0 && (
        <YouStep
          root={root}
          isCodeGiven={code !== undefined}
          refused={refused}
          leastLength={status.data?.password_length ?? 8}
          onDone={(values) => {
            setRoot(values);
            setRefused(undefined);
            setStep(1);
          }}
        />
      )}
      {step === 1 && (
        <UseStep
          mode={mode}
          onBack={() => setStep(0)}
          onDone={(chosen) => {
            setMode(chosen);
            setStep(2);
          }}
        />
      )}
      {step === 2 && (
        <SourceStep
          onClaim={claim}
          onBack={() => setStep(1)}
          onDone={(made) => {
            setChannel(made);
            setStep(3);
          }}
        />
      )}
      {step === 3 && channel !== undefined && <CallStep channel={channel} />}
    </Stack>
  );
}

function DoneBefore() {
  const { t } = useTranslation();
  return (
    <Stack gap="lg">
      <PageHead title={t("setup.doneTitle")} description={t("setup.doneText")} />
      <Group>
        <RouterAnchor to="/login">{t("session.signIn")}</RouterAnchor>
        <Anchor href="/">{t("notFound.home")}</Anchor>
      </Group>
    </Stack>
  );
}
