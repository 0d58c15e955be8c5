import { Anchor, Button, Divider, Group, PasswordInput, Stack, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { IconKey } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { statusQuery } from "@/session/session";
import { signIn } from "@/session/signIn";
import { useSubmit } from "@/ui/form/useSubmit";
import { PageHead } from "@/ui/PageHead";
import { RouterAnchor } from "@/ui/RouterAnchor";
import {
  arePasskeysPossible,
  canSuggestPasskeys,
  signInWithPasskey,
  stopSuggestingPasskeys,
} from "./api";
import { ProviderButtons } from "./ProviderButtons";
import { RefusalNotice } from "./RefusalNotice";
import { useEnter } from "./useEnter";
import { useRefusal } from "./useRefusal";

export interface LoginPageProps {
  next: string | undefined;
  /** Set where an identity provider sent the visitor back without success. */
  error: string | undefined;
}

/** Password, passkey, or another provider. Unknown user and wrong password look the same. */
export function LoginPage({ next, error }: LoginPageProps) {
  const { t } = useTranslation();
  const { data: status } = useQuery(statusQuery);
  const enter = useEnter(next);
  const form = useForm({ initialValues: { username: "", password: "" } });
  const byPassword = useSubmit(form, (values) => signIn(values.username, values.password), enter);
  const refusal = useRefusal(byPassword.failure);
  useSuggestedPasskeys(enter);
  return (
    <Stack gap="lg">
      <PageHead title={t("signin.title")} description={t("signin.text")} />
      {status?.is_set_up === false && (
        <RouterAnchor to="/setup">{t("signin.setUpFirst")}</RouterAnchor>
      )}
      {error !== undefined && (
        <RefusalNotice refusal={{ text: t("signin.providerFailed"), lockedFor: 0 }} />
      )}
      <form onSubmit={form.onSubmit((values) => void byPassword.submit(values))}>
        <Stack gap="md">
          <TextInput
            label={t("signin.username")}
            autoComplete="username webauthn"
            required
            withAsterisk={false}
            {...form.getInputProps("username")}
          />
          <PasswordInput
            label={t("session.password")}
            autoComplete="current-password"
            required
            withAsterisk={false}
            visibilityToggleButtonProps={{ "aria-label": t("session.showPassword") }}
            {...form.getInputProps("password")}
          />
          <RefusalNotice refusal={refusal} />
          <Button type="submit" loading={byPassword.isBusy} disabled={refusal.lockedFor > 0}>
            {t("session.signIn")}
          </Button>
        </Stack>
      </form>
      <OtherWays onEnter={enter} />
      <Group gap="sm">
        <RouterAnchor to="/forgot" size="sm">
          {t("signin.forgot")}
        </RouterAnchor>
        {status?.registration === true && (
          <RouterAnchor to="/register" size="sm">
            {t("signin.toRegister")}
          </RouterAnchor>
        )}
        <Anchor href="/" size="sm">
          {t("notFound.home")}
        </Anchor>
      </Group>
    </Stack>
  );
}

type Enter = ReturnType<typeof useEnter>;

/** Offers passkeys among the suggestions of the user name, where the browser can. */
function useSuggestedPasskeys(enter: Enter): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: one ceremony for each visit of the page.
  useEffect(() => {
    let isOver = false;
    void canSuggestPasskeys().then(async (canSuggest) => {
      if (!canSuggest || isOver) {
        return;
      }
      try {
        enter(await signInWithPasskey(true));
      } catch {
        // Nobody chose one, or the page was left: the form and the button are still there.
      }
    });
    return () => {
      isOver = true;
      stopSuggestingPasskeys();
    };
  }, []);
}

function OtherWays({ onEnter }: { onEnter: Enter }) {
  const { t } = useTranslation();
  const [canUse] = useState(arePasskeysPossible);
  const form = useForm({ initialValues: {} });
  const byPasskey = useSubmit(form, () => signInWithPasskey(), onEnter);
  const refusal = useRefusal(byPasskey.failure);
  return (
    <Stack gap="sm">
      {canUse && (
        <>
          <Divider label={t("session.or")} />
          <Button
            variant="default"
            leftSection={<IconKey size={16} />}
            loading={byPasskey.isBusy}
            onClick={() => void byPasskey.submit({})}
          >
            {t("signin.passkey")}
          </Button>
          <RefusalNotice refusal={refusal} />
        </>
      )}
      <ProviderButtons />
    </Stack>
  );
}
