// One act on a channel's keys: add, replace, limit, remove.

import { Button, Group, Modal, NumberInput, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Schema } from "@/api/management";
import { FormFailure } from "@/ui/form/FormFailure";
import { toast } from "@/ui/toast";
import { type Channel, type ChannelKey, changeKeys, providersQuery } from "./api";
import { CredentialFields } from "./CredentialFields";
import { composeKey } from "./credentials";
import { useRefreshChannels } from "./useRefreshChannels";

export type KeyAct = { kind: "add" } | { kind: "replace" | "limits" | "remove"; key: ChannelKey };

const TITLES = {
  add: "channels.key.add",
  replace: "channels.key.replace",
  limits: "channels.key.setLimits",
  remove: "channels.key.remove",
} as const;

export interface KeyDialogProps {
  channel: Channel;
  /** Absent while the dialog is closed. */
  act: KeyAct | undefined;
  onClose: () => void;
}

export function KeyDialog({ channel, act, onClose }: KeyDialogProps) {
  const { t } = useTranslation();
  return (
    <Modal
      opened={act !== undefined}
      onClose={onClose}
      title={act === undefined ? "" : t(TITLES[act.kind])}
      closeButtonProps={{ "aria-label": t("ui.close") }}
    >
      {act !== undefined && <Act channel={channel} act={act} onClose={onClose} />}
    </Modal>
  );
}

type Limit = number | string;

function Act({ channel, act, onClose }: { channel: Channel; act: KeyAct; onClose: () => void }) {
  const { t } = useTranslation();
  const refresh = useRefreshChannels();
  const provider = useQuery(providersQuery).data?.find(({ id }) => id === channel.type);
  const [values, setValues] = useState<Record<string, string>>({});
  const stored = act.kind === "add" ? undefined : act.key;
  const [rpm, setRpm] = useState<Limit>(stored?.rpm ?? "");
  const [tpm, setTpm] = useState<Limit>(stored?.tpm ?? "");
  const [concurrency, setConcurrency] = useState<Limit>(stored?.concurrency ?? "");
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<Error>();
  const secret = composeKey(provider?.credential_fields ?? [], values);
  const hasSecret = act.kind === "add" || act.kind === "replace";

  const submit = async () => {
    setBusy(true);
    setFailure(undefined);
    try {
      const limits = { rpm: numberOf(rpm), tpm: numberOf(tpm), concurrency: numberOf(concurrency) };
      await changeKeys(channel.id, changeOf(act, secret, limits));
      toast(t("channels.key.changed"));
      onClose();
      await refresh();
    } catch (error) {
      setFailure(error as Error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <Stack gap="md">
        {hasSecret && provider !== undefined && (
          <CredentialFields provider={provider} values={values} onChange={setValues} />
        )}
        {act.kind === "limits" && (
          <>
            <NumberInput label={t("channels.field.rpm")} min={0} value={rpm} onChange={setRpm} />
            <NumberInput label={t("channels.field.tpm")} min={0} value={tpm} onChange={setTpm} />
            <NumberInput
              label={t("channels.field.concurrency")}
              min={0}
              value={concurrency}
              onChange={setConcurrency}
            />
          </>
        )}
        {act.kind === "remove" && (
          <Text size="sm">{t("channels.key.removeText", { number: act.key.index + 1 })}</Text>
        )}
        <FormFailure failure={failure} />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            {t("ui.cancel")}
          </Button>
          <Button
            type="submit"
            loading={isBusy}
            disabled={hasSecret && secret === ""}
            {...(act.kind === "remove" ? { color: "red" } : {})}
          >
            {t(TITLES[act.kind])}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function changeOf(
  act: KeyAct,
  secret: string,
  limits: Omit<Schema<"KeyLimits">, "index">,
): Schema<"KeyChange"> {
  switch (act.kind) {
    case "add":
      return { add: [secret], remove: [] };
    case "replace":
      return { replace: [{ index: act.key.index, key: secret }], remove: [] };
    case "limits":
      return { limits: [{ index: act.key.index, ...limits }], remove: [] };
    default:
      return { remove: [act.key.index] };
  }
}

function numberOf(value: Limit): number | null {
  return typeof value === "number" ? value : null;
}
