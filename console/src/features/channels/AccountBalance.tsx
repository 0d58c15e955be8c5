import { Button, List, Stack, Text } from "@mantine/core";
import { IconCoin } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { LaterTexts } from "@/ui/LaterTexts";
import { failureToast } from "@/ui/toast";
import { askBalance, type Channel, type ChannelBalance } from "./api";

/** What is left on the channel's accounts at its vendor, asked when somebody wants to know. */
export function AccountBalance({ channel }: { channel: Channel }) {
  return (
    <LaterTexts>
      <Balance channel={channel} />
    </LaterTexts>
  );
}

function Balance({ channel }: { channel: Channel }) {
  const { t } = useTranslation();
  const ask = useMutation({ mutationFn: () => askBalance(channel.id), onError: failureToast });
  return (
    <Stack gap="xs" align="flex-start">
      <Button
        variant="default"
        leftSection={<IconCoin size={16} />}
        loading={ask.isPending}
        onClick={() => ask.mutate()}
      >
        {t("channels.balance.ask")}
      </Button>
      <div role="status">{ask.data !== undefined && <Told balance={ask.data} />}</div>
    </Stack>
  );
}

function Told({ balance }: { balance: ChannelBalance }) {
  const { t } = useTranslation();
  if (!balance.supported) {
    return <Text size="sm">{t("channels.balance.unsupported")}</Text>;
  }
  return (
    <List size="sm" listStyleType="none">
      {balance.keys.map(({ index, amounts, error }) => (
        <List.Item key={index} style={{ overflowWrap: "anywhere" }}>
          {`${t("channels.key.name", { number: index + 1 })}: `}
          {error ?? <Amounts amounts={amounts} />}
        </List.Item>
      ))}
    </List>
  );
}

/** In the vendor's own currencies, exactly as it says. */
function Amounts({ amounts }: { amounts: ChannelBalance["keys"][number]["amounts"] }) {
  const { t } = useTranslation();
  return amounts.length === 0
    ? t("channels.balance.nothing")
    : amounts.map(({ amount, currency }) => `${amount} ${currency}`).join(" · ");
}
