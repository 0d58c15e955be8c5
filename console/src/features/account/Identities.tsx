import { Alert, Button, Group, Stack, Text } from "@mantine/core";
import { IconLogin2 } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { statusQuery } from "@/session/session";
import { DataRegion } from "@/ui/DataRegion";
import { SectionCard } from "@/ui/SectionCard";
import { Time } from "@/ui/Time";
import { failureToast, toast } from "@/ui/toast";
import { useUrlState } from "@/ui/useUrlState";
import { type Identity, identitiesQuery, linkIdentity, unlinkIdentity } from "./api";
import type { AccountSearch } from "./search";

/** Accounts elsewhere that one can sign in with. Nothing where there never was a provider. */
export function Identities() {
  const { t } = useTranslation();
  const identities = useQuery(identitiesQuery);
  const providers = useQuery(statusQuery).data?.sign_in ?? [];
  const linked = identities.data ?? [];
  const others = providers.filter(({ id }) => !linked.some(({ provider }) => provider === id));
  if (providers.length === 0 && linked.length === 0) {
    return null;
  }
  return (
    <SectionCard title={t("account.identities")} text={t("account.identitiesText")}>
      <Outcome />
      <DataRegion query={identities} skeletonHeight={60}>
        {(list) => (
          <Stack component="ul" gap="md" m={0} p={0} style={{ listStyle: "none" }}>
            {list.map((identity) => (
              <Entry key={identity.id} identity={identity} />
            ))}
            {list.length === 0 && (
              <Text component="li" size="sm" c="dimmed">
                {t("account.noIdentities")}
              </Text>
            )}
          </Stack>
        )}
      </DataRegion>
      <Group gap="xs">
        {others.map(({ id, label }) => (
          <LinkButton key={id} provider={id} label={label} />
        ))}
      </Group>
    </SectionCard>
  );
}

/** How the way to a provider and back ended. */
function Outcome() {
  const { t } = useTranslation();
  const [{ identity }, setSearch] = useUrlState<AccountSearch>();
  if (identity === undefined) {
    return null;
  }
  const isLinked = identity === "linked";
  return (
    <Alert
      color={isLinked ? "green" : "red"}
      variant="light"
      role="status"
      withCloseButton
      closeButtonLabel={t("ui.close")}
      onClose={() => setSearch({ identity: undefined })}
    >
      {t(isLinked ? "account.identityLinked" : "account.identityTaken")}
    </Alert>
  );
}

function Entry({ identity }: { identity: Identity }) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const unlink = useMutation({
    mutationFn: () => unlinkIdentity(identity.id),
    onSuccess: () => {
      toast(t("account.identityRemoved", { provider: identity.provider_label }));
      return client.invalidateQueries({ queryKey: identitiesQuery.queryKey });
    },
    onError: failureToast,
  });
  return (
    <Group component="li" gap="sm">
      <Stack gap={0} flex={1} miw={200}>
        <Text size="sm" fw={600} style={{ overflowWrap: "anywhere" }}>
          {identity.provider_label}
          {" · "}
          <bdi>{identity.label}</bdi>
        </Text>
        <Text size="xs" c="dimmed" component="div">
          {t("account.linkedAt")} <Time at={identity.linked_at} />
          {" · "}
          {t("account.lastUsed")} <Time at={identity.last_used_at} />
        </Text>
      </Stack>
      <Button
        variant="default"
        size="xs"
        loading={unlink.isPending}
        aria-label={t("account.unlinkOf", { provider: identity.provider_label })}
        onClick={() => unlink.mutate()}
      >
        {t("account.unlink")}
      </Button>
    </Group>
  );
}

function LinkButton({ provider, label }: { provider: string; label: string }) {
  const { t } = useTranslation();
  const link = useMutation({
    mutationFn: () => linkIdentity(provider),
    onSuccess: ({ url }) => location.assign(url),
    onError: failureToast,
  });
  return (
    <Button
      variant="default"
      leftSection={<IconLogin2 size={16} />}
      loading={link.isPending}
      onClick={() => link.mutate()}
    >
      {t("account.link", { provider: label })}
    </Button>
  );
}
