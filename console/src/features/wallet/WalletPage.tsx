import { SimpleGrid, Stack } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { PageHead } from "@/ui/PageHead";
import { useUrlState } from "@/ui/useUrlState";
import { BalanceFacts } from "./BalanceFacts";
import { LowBalanceForm } from "./LowBalanceForm";
import { OrderTable } from "./OrderTable";
import { OrderView } from "./OrderView";
import { RedeemForm } from "./RedeemForm";
import { ReferralCard } from "./ReferralCard";
import type { WalletSearch } from "./search";
import { TopUpCard } from "./TopUpCard";

/** Balance, ways to add to it, orders and referral; or one order, where the address names it. */
export function WalletPage() {
  const { t } = useTranslation();
  const [{ order }, setSearch] = useUrlState<WalletSearch>();
  if (order !== undefined) {
    return (
      <OrderView
        key={order}
        orderId={order}
        onBack={() => setSearch({ order: undefined }, { push: true })}
      />
    );
  }
  return (
    <Stack gap="lg" maw={1080}>
      <PageHead title={t("wallet.title")} description={t("wallet.text")} />
      <BalanceFacts />
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg" style={{ alignItems: "start" }}>
        <TopUpCard />
        <Stack gap="lg">
          <RedeemForm />
          <ReferralCard />
          <LowBalanceForm />
        </Stack>
      </SimpleGrid>
      <OrderTable />
    </Stack>
  );
}
