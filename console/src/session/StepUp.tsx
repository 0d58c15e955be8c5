// The dialog before secrets are made or changed: whoever has a second factor shows it again. Asked for
// by the client when a call is refused for want of a proof; features do nothing about it.

import { Button, Divider, Group, Modal, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { startAuthentication } from "@simplewebauthn/browser";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { onInterrupt } from "@/api/interrupt";
import { api, dataOf } from "@/api/management";
import { FormFailure } from "@/ui/form/FormFailure";
import { useSubmit } from "@/ui/form/useSubmit";
import { passkeyOptions } from "./passkeyOptions";
import { selfQuery } from "./session";

type Resolve = (proof: string | undefined) => void;

export function StepUp() {
  const { t } = useTranslation();
  const [scope, setScope] = useState<string>();
  const waiting = useRef<Resolve>(undefined);
  useEffect(
    () =>
      onInterrupt({
        stepUp: (wanted) =>
          new Promise((resolve) => {
            waiting.current?.(undefined);
            waiting.current = resolve;
            setScope(wanted);
          }),
      }),
    [],
  );
  const finish: Resolve = (proof) => {
    setScope(undefined);
    waiting.current?.(proof);
    waiting.current = undefined;
  };
  return (
    <Modal
      opened={scope !== undefined}
      onClose={() => finish(undefined)}
      title={t("session.confirm")}
      closeButtonProps={{ "aria-label": t("ui.close") }}
      zIndex={390}
    >
      {scope !== undefined && <Confirm scope={scope} onProof={finish} />}
    </Modal>
  );
}

function Confirm({ scope, onProof }: { scope: string; onProof: Resolve }) {
  const { t } = useTranslation();
  const user = useQueryClient().getQueryData(selfQuery.queryKey);
  const byCode = useForm({ initialValues: { code: "" } });
  const code = useSubmit(
    byCode,
    (values) => dataOf(api.POST("/api/verify", { body: { ...values, scope, method: "2fa" } })),
    (proof) => onProof(proof.proof_token),
  );
  const byPasskey = useForm({ initialValues: {} });
  const passkey = useSubmit(
    byPasskey,
    () => confirmWithPasskey(scope),
    (proof) => onProof(proof.proof_token),
  );
  return (
    <Stack gap="md">
      <Text size="sm">{t("session.confirmText")}</Text>
      {user?.two_factor === true && (
        <form onSubmit={byCode.onSubmit((values) => void code.submit(values))}>
          <Stack gap="md">
            <TextInput
              label={t("session.code")}
              autoComplete="one-time-code"
              inputMode="numeric"
              required
              withAsterisk={false}
              data-autofocus
              {...byCode.getInputProps("code")}
            />
            <FormFailure failure={code.failure} />
            <Group justify="flex-end">
              <Button type="submit" loading={code.isBusy}>
                {t("session.confirmAction")}
              </Button>
            </Group>
          </Stack>
          <Divider mt="md" label={t("session.or")} />
        </form>
      )}
      <FormFailure failure={passkey.failure} />
      <Button variant="default" loading={passkey.isBusy} onClick={() => void passkey.submit({})}>
        {t("session.usePasskey")}
      </Button>
    </Stack>
  );
}

async function confirmWithPasskey(scope: string) {
  const begun = await dataOf(api.POST("/api/user/passkey/verify/begin", { body: { scope } }));
  const optionsJSON = passkeyOptions(begun.options);
  const credential = await startAuthentication({ optionsJSON });
  return dataOf(
    api.POST("/api/user/passkey/verify/finish", {
      body: { flow_token: begun.flow_token, credential: credential as never },
    }),
  );
}
