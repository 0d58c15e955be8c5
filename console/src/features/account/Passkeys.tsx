import { ActionIcon, Button, Group, Stack, Text, TextInput, Tooltip } from "@mantine/core";
import { useForm } from "@mantine/form";
import { browserSupportsWebAuthn } from "@simplewebauthn/browser";
import { IconFingerprint, IconTrash } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { DataRegion } from "@/ui/DataRegion";
import { FormFailure } from "@/ui/form/FormFailure";
import { useSubmit } from "@/ui/form/useSubmit";
import { SectionCard } from "@/ui/SectionCard";
import { Time } from "@/ui/Time";
import { failureToast, toast } from "@/ui/toast";
import { deletePasskey, type Passkey, passkeysQuery, registerPasskey } from "./api";

const SKELETON_HEIGHT = 60;

/** Passkeys: list, add, delete. */
export function Passkeys() {
  const { t } = useTranslation();
  const passkeys = useQuery(passkeysQuery);
  return (
    <SectionCard title={t("account.passkeys")} text={t("account.passkeysText")}>
      <DataRegion
        query={passkeys}
        skeletonHeight={SKELETON_HEIGHT}
        isEmpty={(list) => list.length === 0}
        emptyFirst={
          <Text size="sm" c="dimmed">
            {t("account.noPasskeys")}
          </Text>
        }
      >
        {(list) => (
          <Stack component="ul" gap="sm" m={0} p={0} style={{ listStyle: "none" }}>
            {list.map((passkey) => (
              <Entry key={passkey.id} passkey={passkey} />
            ))}
          </Stack>
        )}
      </DataRegion>
      {browserSupportsWebAuthn() ? (
        <AddPasskey />
      ) : (
        <Text size="sm" c="dimmed">
          {t("account.passkeysUnsupported")}
        </Text>
      )}
    </SectionCard>
  );
}

function Entry({ passkey }: { passkey: Passkey }) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const remove = useMutation({
    mutationFn: () => deletePasskey(passkey.id),
    onSuccess: () => client.invalidateQueries({ queryKey: passkeysQuery.queryKey }),
    onError: failureToast,
  });
  const what = t("account.deleteNamed", { name: passkey.name });
  return (
    <Group component="li" wrap="nowrap" gap="sm">
      <IconFingerprint size={22} stroke={1.6} aria-hidden />
      <Stack gap={0} flex={1} miw={0}>
        <Text size="sm" fw={600} style={{ overflowWrap: "anywhere" }}>
          {passkey.name}
        </Text>
        <Text size="xs" c="dimmed">
          {t("account.addedAt")} <Time at={passkey.created_at} />
          {" · "}
          {t("account.lastUsed")} <Time at={passkey.last_used_at} reason={t("account.neverUsed")} />
        </Text>
      </Stack>
      <Tooltip label={what}>
        <ActionIcon
          variant="subtle"
          color="red"
          loading={remove.isPending}
          aria-label={what}
          onClick={() => remove.mutate()}
        >
          <IconTrash size={17} />
        </ActionIcon>
      </Tooltip>
    </Group>
  );
}

function AddPasskey() {
  const { t } = useTranslation();
  const client = useQueryClient();
  const form = useForm({ initialValues: { name: "" } });
  const { isBusy, failure, submit } = useSubmit(
    form,
    ({ name }) => registerPasskey(name.trim() || t("account.passkeyDefault")),
    () => {
      form.reset();
      toast(t("account.passkeyAdded"));
      void client.invalidateQueries({ queryKey: passkeysQuery.queryKey });
    },
  );
  return (
    <form noValidate onSubmit={form.onSubmit((values) => void submit(values))}>
      <Stack gap="sm">
        <Group align="flex-end" gap="xs">
          <TextInput
            label={t("account.passkeyName")}
            placeholder={t("account.passkeyDefault")}
            autoComplete="off"
            {...form.getInputProps("name")}
          />
          <Button type="submit" variant="default" loading={isBusy}>
            {t("account.addPasskey")}
          </Button>
        </Group>
        <FormFailure failure={failure} />
      </Stack>
    </form>
  );
}
