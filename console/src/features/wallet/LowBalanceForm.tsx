import { Button, Group, Text } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useTranslation } from "react-i18next";
import { lowBalanceThreshold, storeLowBalanceThreshold } from "@/lib/lowBalance";
import { useSession } from "@/session/session";
import { DollarInput } from "@/ui/form/DollarInput";
import { SectionCard } from "@/ui/SectionCard";
import { toast } from "@/ui/toast";

const DOLLARS = /^\d+(\.\d{1,9})?$/;

/** Below which balance the bell rings, in this browser. */
export function LowBalanceForm() {
  const { t } = useTranslation();
  const { user } = useSession();
  const form = useForm({
    initialValues: { usd: lowBalanceThreshold(user.id) },
    validate: {
      usd: (usd) => (usd === "" || DOLLARS.test(usd) ? null : t("wallet.low.invalid")),
    },
  });
  return (
    <SectionCard title={t("wallet.low.title")} text={t("wallet.low.text")}>
      <form
        onSubmit={form.onSubmit(({ usd }) => {
          storeLowBalanceThreshold(user.id, usd.trim());
          toast(usd === "" ? t("wallet.low.off") : t("wallet.low.saved"));
        })}
      >
        <Group align="flex-start" gap="sm">
          <DollarInput
            flex={1}
            miw={160}
            aria-label={t("wallet.low.label")}
            placeholder={t("wallet.low.placeholder")}
            {...form.getInputProps("usd")}
          />
          <Button type="submit" variant="default">
            {t("wallet.low.save")}
          </Button>
        </Group>
        <Text size="xs" c="dimmed" mt={6}>
          {t("wallet.low.where")}
        </Text>
      </form>
    </SectionCard>
  );
}
