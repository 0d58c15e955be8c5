import { Button, Group, Paper, Stack, Text, Title } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { ConfirmByName } from "@/ui/ConfirmByName";
import { failureToast, toast } from "@/ui/toast";
import { type Channel, deleteChannel } from "./api";
import { useRefreshChannels } from "./useRefreshChannels";

/** Deleting cannot be undone: the keys are gone with the channel, so its name must be typed. */
export function DeleteChannel({ channel }: { channel: Channel }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const refresh = useRefreshChannels();
  const [isOpen, setOpen] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const remove = async () => {
    setBusy(true);
    try {
      await deleteChannel(channel.id);
      toast(t("channels.delete.done", { name: channel.name }));
      await navigate({ to: "/console/channels" });
      await refresh();
    } catch (error) {
      failureToast(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Paper withBorder p="md" mt="md">
      <Group justify="space-between">
        <Stack gap={2}>
          <Title order={2} size="h5">
            {t("channels.delete.title")}
          </Title>
          <Text size="sm" c="dimmed">
            {t("channels.delete.text")}
          </Text>
        </Stack>
        <Button
          color="red"
          variant="light"
          disabled={channel.is_declared}
          onClick={() => setOpen(true)}
        >
          {t("channels.delete.action")}
        </Button>
      </Group>
      <ConfirmByName
        isOpen={isOpen}
        title={t("channels.delete.title")}
        name={channel.name}
        action={t("channels.delete.action")}
        isBusy={isBusy}
        onConfirm={() => void remove()}
        onClose={() => setOpen(false)}
      >
        {t("channels.delete.warning", { count: channel.health.attempts })}
      </ConfirmByName>
    </Paper>
  );
}
