import { Code, Paper, SimpleGrid } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { Fact } from "@/ui/Fact";
import { Time } from "@/ui/Time";
import type { Key } from "./api";
import { TimeOrWord } from "./TimeOrWord";

/** What is known of a key beside its settings. */
export function KeyFacts({ of }: { of: Key }) {
  const { t } = useTranslation();
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
        </Fact>
        <Fact label={t("keys.expires")}>
          <TimeOrWord at={of.expires_at} word={t("keys.expiry.never")} />
        </Fact>
      </SimpleGrid>
    </Paper>
  );
}
