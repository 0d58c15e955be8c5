// The dialog before a sensitive call: the person of the session confirms who they are, with the password and the second
// factor or with a passkey. The client asks for it when a call is refused with `step_up_required`; features do nothing
// about it.

import {
  Button,
  Divider,
  Group,
  Modal,
  PasswordInput,
  Stack,
  Text,
  TextInput,
} from "@mantine/core";
import { useForm } from "@mantine/form";
import { startAuthentication } from "@simplewebauthn/browser";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { onInterrupt } from "@/api/interrupt";
import { api, dataOf, type Schema } from "@/api/management";
import { DataRegion } from "@/ui/DataRegion";
import { FormFailure } from "@/ui/form/FormFailure";
import { useSubmit } from "@/ui/form/useSubmit";
import { passkeyOptions } from "./passkeyOptions";

type Ways = Schema<"VerificationView">;

const SKELETON_HEIGHT = 120;

export function StepUp() {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  const waiting = useRef<((isConfirmed: boolean) => void)[]>([]);
  useEffect(
    () =>
      onInterrupt({
        stepUp: () =>
          new Promise((resolve) => {
            waiting.current.push(resolve);
            setOpen(true);
          }),
      }),
    [],
  );
  const finish = (isConfirmed: boolean) => {
    setOpen(false);
    for (const resolve of waiting.current.splice(0)) {
      resolve(isConfirmed);
    }
  };
  return (
    <Modal
      opened={isOpen}
      onClose={() => finish(false)}
      title={t("session.confirm")}
      closeButtonProps={{ "aria-label": t("ui.close") }}
      zIndex={390}
    >
      {isOpen && <Confirm onDone={() => finish(true)} />}
    </Modal>
  );
}

function Confirm({ onDone }: { onDone: () => void }) {
  const { t } = useTranslation();
  const ways = useQuery({
    queryKey: ["stepUp"],
    queryFn: ({ signal }) => dataOf(api.GET("/api/verify", { signal })),
    gcTime: 0,
    staleTime: 0,
  });
  return (
    <Stack gap="md">
      <Text size="sm">{t("session.confirmText")}</Text>
      <DataRegion query={ways} skeletonHeight={SKELETON_HEIGHT}>
        {(found) => (
          <>
            {found.password && <ByPassword ways={found} onDone={onDone} />}
            {found.password && found.passkey && <Divider label={t("session.or")} />}
            {found.passkey && <ByPasskey onDone={onDone} />}
            {!found.password && !found.passkey && (
              <Text size="sm">{t("session.confirmBySigningIn")}</Text>
            )}
          </>
        )}
      </DataRegion>
    </Stack>
  );
}

function ByPassword({ ways, onDone }: { ways: Ways; onDone: () => void }) {
  const { t } = useTranslation();
  const form = useForm({ initialValues: { password: "", code: "" } });
  const { isBusy, failure, submit } = useSubmit(
    form,
    ({ password, code }) =>
      dataOf(
        api.POST("/api/verify", { body: { password, code: ways.second_factor ? code : null } }),
      ),
    onDone,
  );
  return (
    <form onSubmit={form.onSubmit((values) => void submit(values))}>
      <Stack gap="md">
        <PasswordInput
          label={t("session.password")}
          autoComplete="current-password"
          required
          withAsterisk={false}
          data-autofocus
          visibilityToggleButtonProps={{ "aria-label": t("session.showPassword") }}
          {...form.getInputProps("password")}
        />
        {ways.second_factor && (
          <TextInput
            label={t("session.code")}
            autoComplete="one-time-code"
            inputMode="numeric"
            required
            withAsterisk={false}
            {...form.getInputProps("code")}
          />
        )}
        <FormFailure failure={failure} />
        <Group justify="flex-end">
          <Button type="submit" loading={isBusy}>
            {t("session.confirmAction")}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function ByPasskey({ onDone }: { onDone: () => void }) {
  const { t } = useTranslation();
  const form = useForm({ initialValues: {} });
  const { isBusy, failure, submit } = useSubmit(form, confirmWithPasskey, onDone);
  return (
    <>
      <FormFailure failure={failure} />
      <Button variant="default" loading={isBusy} onClick={() => void submit({})}>
        {t("session.usePasskey")}
      </Button>
    </>
  );
}

async function confirmWithPasskey() {
  const begun = await dataOf(api.POST("/api/user/passkey/verify/begin"));
  const optionsJSON = passkeyOptions(begun.options);
  const credential = await startAuthentication({ optionsJSON });
  return dataOf(
    api.POST("/api/user/passkey/verify/finish", {
      body: { flow_token: begun.flow_token, credential: credential as never },
    }),
  );
}
