import { Alert, Button, Group, Text } from "@mantine/core";
import { IconRoute } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { channelQuery } from "../send/api";

/** Says while a channel is chosen that calls go through it alone, wherever the settings are. */
export function ChosenChannel({ id, onClear }: { id: number; onClear: () => void }) {
  const { t } = useTranslation();
  const { data } = useQuery(channelQuery(id));
  return (
    <Alert color="blue" variant="light" radius={0} py={6} px="md" icon={<IconRoute size={18} />}>
      <Group gap="xs" justify="space-between" wrap="nowrap">
        <Text size="sm" style={{ overflowWrap: "anywhere" }}>
          {t("playground.channel.only", { name: data?.name ?? `#${id}` })}
        </Text>
        <Button size="compact-sm" variant="default" onClick={onClear} style={{ flexShrink: 0 }}>
          {t("playground.channel.clear")}
        </Button>
      </Group>
    </Alert>
  );
}
