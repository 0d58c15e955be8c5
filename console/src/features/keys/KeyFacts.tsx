import { Code, Paper, SimpleGrid, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useSession } from "@/session/session";
import { Fact } from "@/ui/Fact";
import { Time } from "@/ui/Time";
import type { Key } from "./api";
import { lastAddressQuery } from "./lastAddress";
import { TimeOrWord } from "./TimeOrWord";

/** What is known of a key beside its settings. */
export function KeyFacts({ of }: { of: Key }) {
  const { t } = useTranslation();
  const { isAdministrator } = useSession();
  const { data: address } = useQuery({
    ...lastAddressQuery(of.id, isAdministrator),
    enabled: of.last_used_at !== null,
  });
  return (
    <Paper withBorder p="md">
      <SimpleGrid cols={{ base: 2, sm: 4 }} spacing="md">
        <Fact label={t("keys.key")}>
          <Code>{`${of.prefix}…`}</Code>
        </Fact>
        <Fact label={t("keys.created")}>
          <Time at={of.created_at} />
        </Fact>
        <Fact label={t("keys.lastUsed")}>
          <TimeOrWord at={of.last_used_at} word={t("keys.neverUsed")} />
          {address && (
            <Text size="xs" c="dimmed" ff="monospace">
              {address}
            </Text>
          )}
        </Fact>
        <Fact label={t("keys.expires")}>
          <TimeOrWord at={of.expires_at} word={t("keys.expiry.never")} />
        </Fact>
      </SimpleGrid>
    </Paper>
  );
}
