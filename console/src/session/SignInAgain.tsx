// The dialog of a session that has ended while its page was open. The page below stays as it is, with
// whatever was typed; once somebody is signed in, the calls that were waiting are sent again.

import { Button, Group, Modal, PasswordInput, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { onInterrupt } from "@/api/interrupt";
import { FormFailure } from "@/ui/form/FormFailure";
import { useSubmit } from "@/ui/form/useSubmit";
import { selfQuery, type User } from "./session";
import { type NeedsCode, needsCode, type SignedIn, signIn, signInWithCode } from "./signIn";

/** Asked for by the client when a call is refused for want of a session. */
export function SignInAgain() {
  const { t } = useTranslation();
  const client = useQueryClient();
  const [isOpen, setOpen] = useState(false);
  const waiting = useRef<((isSignedIn: boolean) => void)[]>([]);
  const user = client.getQueryData(selfQuery.queryKey);

  useEffect(
    () =>
      onInterrupt({
        signInAgain: () =>
          new Promise((resolve) => {
            waiting.current.push(resolve);
            setOpen(true);
          }),
      }),
    [],
  );

  const finish = (isSignedIn: boolean) => {
    setOpen(false);
    for (const resolve of waiting.current.splice(0)) {
      resolve(isSignedIn);
    }
  };
  return (
    <Modal
      opened={isOpen}
      onClose={() => finish(false)}
      title={t("session.ended")}
      closeOnClickOutside={false}
      closeButtonProps={{ "aria-label": t("ui.close") }}
      zIndex={400}
    >
      <Stack gap="md">
        <Text size="sm">{t("session.endedText")}</Text>
        <Form
          username={user?.username ?? ""}
          onDone={(signedIn) => {
            client.setQueryData(selfQuery.queryKey, signedIn);
            finish(true);
          }}
        />
      </Stack>
    </Modal>
  );
}

function Form({ username, onDone }: { username: string; onDone: (user: User) => void }) {
  const { t } = useTranslation();
  const [step, setStep] = useState<NeedsCode>();
  const form = useForm({ initialValues: { password: "", code: "" } });
  const { isBusy, failure, submit } = useSubmit(
    form,
    ({ password, code }): Promise<SignedIn> =>
      step === undefined ? signIn(username, password) : signInWithCode(code, step.flow_token),
    (answer) => (needsCode(answer) ? setStep(answer) : onDone(answer)),
  );
  return (
    <form onSubmit={form.onSubmit((values) => void submit(values))}>
      <Stack gap="md">
        <TextInput
          label={t("session.username")}
          value={username}
          readOnly
          autoComplete="username"
        />
        {step === undefined ? (
          <PasswordInput
            label={t("session.password")}
            autoComplete="current-password"
            required
            withAsterisk={false}
            data-autofocus
            visibilityToggleButtonProps={{ "aria-label": t("session.showPassword") }}
            {...form.getInputProps("password")}
          />
        ) : (
          <TextInput
            label={t("session.code")}
            autoComplete="one-time-code"
            inputMode="numeric"
            required
            withAsterisk={false}
            autoFocus
            {...form.getInputProps("code")}
          />
        )}
        <FormFailure failure={failure} />
        <Group justify="flex-end">
          <Button type="submit" loading={isBusy}>
            {t("session.signIn")}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
