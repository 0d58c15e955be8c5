import { Alert, Button, Group, PasswordInput, Select, Stack, Text } from "@mantine/core";
import { IconKey, IconPlus } from "@tabler/icons-react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { CopyField } from "@/ui/CopyButton";
import { failureToast } from "@/ui/toast";
import { makeKey, ownKeysQuery } from "./api";

/** A key whose secret this page knows: made here, or pasted. */
export interface KnownSecret {
  keyId: number | undefined;
  secret: string;
  isNew: boolean;
}

export interface KeyPickerProps {
  keyId: number | undefined;
  known: KnownSecret | undefined;
  /** A name for a key that is made here. */
  tool: string;
  onChoose: (keyId: number | undefined) => void;
  onKnow: (known: KnownSecret | undefined) => void;
}

/** Choose a key, or make one. Stored keys have no secret any more: it can be pasted. */
export function KeyPicker({ keyId, known, tool, onChoose, onKnow }: KeyPickerProps) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const keys = useQuery(ownKeysQuery);
  const [isBusy, setBusy] = useState(false);
  const make = async () => {
    setBusy(true);
    try {
      const key = await makeKey(tool);
      await client.invalidateQueries({ queryKey: ["keys"] });
      onKnow({ keyId: key.id, secret: key.key ?? "", isNew: true });
      onChoose(key.id);
    } catch (error) {
      failureToast(error);
    } finally {
      setBusy(false);
    }
  };
  const choices = (keys.data?.items ?? []).map((key) => ({
    value: String(key.id),
    label: `${key.name} · ${key.prefix}…`,
  }));
  return (
    <Stack gap="sm">
      <Group gap="sm" align="flex-end">
        <Select
          label={t("connect.key")}
          placeholder={t("connect.chooseKey")}
          searchable
          clearable
          style={{ flex: "1 1 220px" }}
          data={choices}
          value={keyId === undefined ? null : String(keyId)}
          onChange={(value) => {
            onKnow(undefined);
            onChoose(value === null ? undefined : Number(value));
          }}
        />
        <Button
          variant="default"
          leftSection={<IconPlus size={16} />}
          loading={isBusy}
          onClick={() => void make()}
        >
          {t("connect.makeKey")}
        </Button>
      </Group>
      {known?.isNew === true ? (
        <Alert color="yellow" variant="light" icon={<IconKey />} title={t("ui.secretOnce.title")}>
          <Text size="sm" mb="xs">
            {t("ui.secretOnce.text")}
          </Text>
          <CopyField text={known.secret} label={t("connect.key")} />
        </Alert>
      ) : (
        <PasswordInput
          label={t("connect.paste")}
          description={t("connect.pasteText")}
          autoComplete="off"
          value={known?.secret ?? ""}
          onChange={(event) => {
            const secret = event.currentTarget.value.trim();
            onKnow(secret === "" ? undefined : { keyId, secret, isNew: false });
          }}
          visibilityToggleButtonProps={{ "aria-label": t("connect.showKey") }}
        />
      )}
    </Stack>
  );
}
