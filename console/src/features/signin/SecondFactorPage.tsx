import { Anchor, Button, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useInterval } from "@mantine/hooks";
import { useLocation } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { signInWithCode } from "@/session/signIn";
import { useSubmit } from "@/ui/form/useSubmit";
import { PageHead } from "@/ui/PageHead";
import { RouterAnchor } from "@/ui/RouterAnchor";
import { RefusalNotice } from "./RefusalNotice";
import { useEnter } from "./useEnter";
import { useRefusal } from "./useRefusal";

const DIGITS = /^\d{6}$/;

/** The second step: six digits, sent as soon as they are there, or a backup code. */
export function SecondFactorPage({ next }: { next: string | undefined }) {
  const { t } = useTranslation();
  const [isBackup, setBackup] = useState(false);
  const form = useForm({ initialValues: { code: "" } });
  const { isBusy, failure, submit } = useSubmit(
    form,
    // A cookie has what the first step gave.
    ({ code }) => signInWithCode(code.trim(), undefined),
    useEnter(next),
  );
  const refusal = useRefusal(failure);
  const onDigits = (typed: string) => {
    const code = typed.replace(/\s/g, "");
    form.setFieldValue("code", code);
    if (DIGITS.test(code) && !isBusy) {
      void submit({ code });
    }
  };
  const change = () => {
    form.reset();
    setBackup(!isBackup);
  };
  return (
    <Stack gap="lg">
      <PageHead
        title={t("signin.factor.title")}
        description={t(isBackup ? "signin.factor.backupText" : "signin.factor.text")}
      />
      <form onSubmit={form.onSubmit((values) => void submit(values))}>
        <Stack gap="md">
          {isBackup ? (
            <TextInput
              key="backup"
              label={t("signin.factor.backup")}
              autoComplete="off"
              autoFocus
              ff="monospace"
              {...form.getInputProps("code")}
            />
          ) : (
            <TextInput
              key="digits"
              label={t("signin.factor.code")}
              inputMode="numeric"
              autoComplete="one-time-code"
              maxLength={9}
              autoFocus
              size="lg"
              styles={{ input: { letterSpacing: "0.4em", fontVariantNumeric: "tabular-nums" } }}
              {...form.getInputProps("code")}
              onChange={(event) => onDigits(event.currentTarget.value)}
            />
          )}
          <RefusalNotice refusal={refusal} />
          <TimeLeft />
          <Button type="submit" loading={isBusy} disabled={refusal.lockedFor > 0}>
            {t("session.signIn")}
          </Button>
        </Stack>
      </form>
      <Anchor component="button" type="button" size="sm" onClick={change}>
        {t(isBackup ? "signin.factor.useApp" : "signin.factor.useBackup")}
      </Anchor>
      <RouterAnchor to="/login" search={next === undefined ? {} : { next }} size="sm">
        {t("signin.factor.again")}
      </RouterAnchor>
    </Stack>
  );
}

/** How long the first step still counts. */
function TimeLeft() {
  const { t } = useTranslation();
  const { codeUntil } = useLocation().state;
  const [now, setNow] = useState(() => Date.now());
  useInterval(() => setNow(Date.now()), 1_000, { autoInvoke: true });
  if (codeUntil === undefined) {
    return null;
  }
  const seconds = Math.max(0, Math.ceil((Date.parse(codeUntil) - now) / 1_000));
  const shown = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
  return (
    <Text size="sm" c="dimmed" role="timer">
      {seconds === 0 ? t("signin.refused.flow") : t("signin.factor.timeLeft", { time: shown })}
    </Text>
  );
}
