import { Alert, SimpleGrid, Stack, Text } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { formatUsd, nanosOf } from "@/lib/money";
import { useSession } from "@/session/session";
import { DataRegion } from "@/ui/DataRegion";
import { FactCard } from "@/ui/FactCard";
import { Money } from "@/ui/Money";
import { PACE_DAYS, spentQuery } from "./api";
import { daysCounted, paceOf } from "./pace";

const SKELETON_HEIGHT = 96;
/** Ten years: beyond them a number of days tells nothing. */
const MANY_DAYS = 3_650;

/** The balance, recent spending, and how long the one lasts at the pace of the other. */
export function BalanceFacts() {
  const { t, i18n } = useTranslation();
  const { user } = useSession();
  const spent = useQuery(spentQuery);
  const days = daysCounted(user.created_at, Date.now(), PACE_DAYS);
  const number = new Intl.NumberFormat(i18n.language);
  const lasting = (daysLeft: number) =>
    daysLeft > MANY_DAYS
      ? t("wallet.manyYears")
      : t("wallet.days", { count: daysLeft, shown: number.format(daysLeft) });
  return (
    <Stack gap="xs">
      <DataRegion query={spent} skeletonHeight={SKELETON_HEIGHT}>
        {(spentUsd) => {
          const { perDayUsd, daysLeft } = paceOf(spentUsd, days, user.quota_usd);
          return (
            <SimpleGrid component="dl" m={0} cols={{ base: 2, md: 4 }}>
              <FactCard
                name={t("wallet.balance")}
                value={<Money usd={user.quota_usd} />}
                reason=""
              />
              <FactCard
                name={t("wallet.reserved")}
                value={<Money usd={user.reserved_usd} />}
                reason=""
              />
              <FactCard
                name={t("wallet.pace", { count: days })}
                value={<Money usd={perDayUsd} />}
                reason=""
              />
              <FactCard
                name={t("wallet.lasts")}
                value={daysLeft === undefined ? undefined : lasting(daysLeft)}
                reason={t("wallet.nothingSpent")}
              />
            </SimpleGrid>
          );
        }}
      </DataRegion>
      {nanosOf(user.owed_usd) > 0n && (
        <Alert color="red" variant="light" icon={<IconAlertTriangle />}>
          {t("wallet.owed", { owed: formatUsd(user.owed_usd, i18n.language) })}
        </Alert>
      )}
      <Text size="sm" c="dimmed">
        {t("wallet.spentInAll", { spent: formatUsd(user.used_quota_usd, i18n.language) })}
      </Text>
    </Stack>
  );
}
