import {
  ActionIcon,
  Button,
  Checkbox,
  Group,
  Modal,
  Select,
  Stack,
  Text,
  TextInput,
  Tooltip,
} from "@mantine/core";
import { useForm } from "@mantine/form";
import { IconTrash } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { ConfirmByName } from "@/ui/ConfirmByName";
import { DataRegion } from "@/ui/DataRegion";
import { FormFailure } from "@/ui/form/FormFailure";
import { useSubmit } from "@/ui/form/useSubmit";
import { SecretOnce } from "@/ui/SecretOnce";
import { SectionCard } from "@/ui/SectionCard";
import { Time } from "@/ui/Time";
import { failureToast } from "@/ui/toast";
import {
  type AccessScope,
  type AccessToken,
  accessTokensQuery,
  deleteAccessToken,
  makeAccessToken,
} from "./api";

const SKELETON_HEIGHT = 120;
const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
/** Lives to choose from, in days. */
const LIVES = ["30", "90", "365"] as const;
const SCOPES = ["read", "write", "billing"] as const satisfies readonly AccessScope[];
const SCOPE_TEXTS = {
  read: "account.scope.read",
  write: "account.scope.write",
  billing: "account.scope.billing",
} as const satisfies Record<AccessScope, string>;

/** Personal access tokens: for scripts that manage the gateway as oneself. */
export function AccessTokens() {
  const { t } = useTranslation();
  const tokens = useQuery(accessTokensQuery);
  const [secret, setSecret] = useState<string>();
  return (
    <SectionCard title={t("account.tokens")} text={t("account.tokensText")}>
      <DataRegion
        query={tokens}
        skeletonHeight={SKELETON_HEIGHT}
        isEmpty={(list) => list.length === 0}
        emptyFirst={
          <Text size="sm" c="dimmed">
            {t("account.noTokens")}
          </Text>
        }
      >
        {(list) => (
          <Stack component="ul" gap="sm" m={0} p={0} style={{ listStyle: "none" }}>
            {list.map((token) => (
              <Entry key={token.id} token={token} />
            ))}
          </Stack>
        )}
      </DataRegion>
      <MakeToken onMade={setSecret} />
      <Modal
        opened={secret !== undefined}
        onClose={() => setSecret(undefined)}
        title={t("account.tokenMade")}
        closeOnClickOutside={false}
        closeButtonProps={{ "aria-label": t("ui.close") }}
      >
        <SecretOnce
          secret={secret ?? ""}
          label={t("account.token")}
          variable="MODELGATE_ACCESS_TOKEN"
          onSaved={() => setSecret(undefined)}
        />
      </Modal>
    </SectionCard>
  );
}

function Entry({ token }: { token: AccessToken }) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const [isAsking, setAsking] = useState(false);
  const remove = useMutation({
    mutationFn: () => deleteAccessToken(token.id),
    onSuccess: () => client.invalidateQueries({ queryKey: accessTokensQuery.queryKey }),
    onError: failureToast,
    onSettled: () => setAsking(false),
  });
  const what = t("account.deleteNamed", { name: token.name });
  return (
    <Group component="li" wrap="nowrap" gap="sm">
      <Stack gap={0} flex={1} miw={0}>
        <Text size="sm" fw={600} style={{ overflowWrap: "anywhere" }}>
          {token.name}
        </Text>
        <Text size="xs" c="dimmed">
          {t("account.addedAt")} <Time at={token.created_at} precision="day" />
          {" · "}
          {t("account.expires")} <Time at={token.expires_at} precision="day" />
          {" · "}
          {t("account.lastUsed")} <Time at={token.last_used_at} reason={t("account.neverUsed")} />
        </Text>
        <Text size="xs" c="dimmed">
          {t("account.scopesOf", {
            scopes: token.scopes.map((scope) => t(SCOPE_TEXTS[scope])).join(", "),
          })}
        </Text>
      </Stack>
      <Tooltip label={what}>
        <ActionIcon variant="subtle" color="red" aria-label={what} onClick={() => setAsking(true)}>
          <IconTrash size={17} />
        </ActionIcon>
      </Tooltip>
      <ConfirmByName
        isOpen={isAsking}
        title={t("account.deleteToken")}
        name={token.name}
        action={t("account.deleteToken")}
        isBusy={remove.isPending}
        onConfirm={() => remove.mutate()}
        onClose={() => setAsking(false)}
      >
        {t("account.deleteTokenText")}
      </ConfirmByName>
    </Group>
  );
}

/** A year is the gateway's bound; a minute less keeps clear of clocks that differ. */
function lifeMs(days: string): number {
  return Number(days) * DAY_MS - MINUTE_MS;
}

function MakeToken({ onMade }: { onMade: (secret: string) => void }) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const form = useForm({
    initialValues: { name: "", days: "90", scopes: ["read"] as AccessScope[] },
    validate: {
      name: (name) => (name.trim() === "" ? t("account.nameMissing") : null),
      scopes: (scopes) => (scopes.length === 0 ? t("account.scopesMissing") : null),
    },
  });
  const { isBusy, failure, submit } = useSubmit(
    form,
    ({ name, days, scopes }) =>
      makeAccessToken(name.trim(), scopes, new Date(Date.now() + lifeMs(days)).toISOString()),
    ({ token }) => {
      form.reset();
      onMade(token);
      void client.invalidateQueries({ queryKey: accessTokensQuery.queryKey });
    },
  );
  return (
    <form noValidate onSubmit={form.onSubmit((values) => void submit(values))}>
      <Stack gap="sm">
        <Group align="flex-start" gap="xs">
          <TextInput
            label={t("account.tokenName")}
            autoComplete="off"
            {...form.getInputProps("name")}
          />
          <Select
            label={t("account.life")}
            allowDeselect={false}
            data={LIVES.map((days) => ({
              value: days,
              label: t("account.lifeDays", { count: Number(days) }),
            }))}
            {...form.getInputProps("days")}
          />
          <Button type="submit" variant="default" loading={isBusy} mt={24}>
            {t("account.makeToken")}
          </Button>
        </Group>
        <Checkbox.Group label={t("account.scopes")} {...form.getInputProps("scopes")}>
          <Group gap="md" mt={4}>
            {SCOPES.map((scope) => (
              <Checkbox key={scope} value={scope} label={t(SCOPE_TEXTS[scope])} />
            ))}
          </Group>
        </Checkbox.Group>
        <FormFailure failure={failure} />
      </Stack>
    </form>
  );
}
