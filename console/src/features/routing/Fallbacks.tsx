import { Button, Group, List, Stack, Text, Title } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { LaterTexts } from "@/ui/LaterTexts";
import { failureToast, undoToast } from "@/ui/toast";
import { changeModels, channelsQuery, ROUTING } from "./api";
import { ChannelLink } from "./ChannelLink";
import { type Fallback, fallbacksOf } from "./fallbacks";

const SHOWN = 5;

/** Channels that a badly covered model could be added to, at a click. */
export function Fallbacks({ model, group }: { model: string; group: string }) {
  const channels = useQuery(channelsQuery).data?.items ?? [];
  const found = fallbacksOf(model, group, channels).slice(0, SHOWN);
  return (
    found.length > 0 && (
      <LaterTexts>
        <Offers model={model} fallbacks={found} />
      </LaterTexts>
    )
  );
}

function Offers({ model, fallbacks }: { model: string; fallbacks: readonly Fallback[] }) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const refresh = () => client.invalidateQueries({ queryKey: [ROUTING] });
  const add = useMutation({
    mutationFn: ({ channel, entry }: Fallback) => changeModels(channel.id, "add_models", entry),
    onSuccess: async (_, { channel, entry }) => {
      await refresh();
      undoToast(t("routing.fallbackAdded", { model, name: channel.name }), () => {
        void changeModels(channel.id, "remove_models", entry).then(refresh, failureToast);
      });
    },
    onError: failureToast,
  });
  return (
    <Stack gap="xs">
      <Title order={2} size="h4">
        {t("routing.fallbacks")}
      </Title>
      <Text size="sm" c="dimmed">
        {t("routing.fallbacksText")}
      </Text>
      <List listStyleType="none" spacing="xs" aria-label={t("routing.fallbacks")}>
        {fallbacks.map((fallback) => (
          <List.Item key={fallback.channel.id} styles={{ itemWrapper: { display: "block" } }}>
            <Group justify="space-between" gap="xs">
              <div>
                <ChannelLink id={fallback.channel.id} name={fallback.channel.name} />
                <Text size="sm" c="dimmed" style={{ overflowWrap: "anywhere" }}>
                  {fallback.entry}
                </Text>
              </div>
              <Button
                size="xs"
                variant="default"
                leftSection={<IconPlus size={14} />}
                aria-label={t("routing.fallbackAddTo", { model, name: fallback.channel.name })}
                loading={add.isPending && add.variables.channel.id === fallback.channel.id}
                onClick={() => add.mutate(fallback)}
              >
                {t("routing.fallbackAdd")}
              </Button>
            </Group>
          </List.Item>
        ))}
      </List>
    </Stack>
  );
}
