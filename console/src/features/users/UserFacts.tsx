import { SimpleGrid } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { Count } from "@/ui/Count";
import { FactCard } from "@/ui/FactCard";
import { Money } from "@/ui/Money";
import { RouterAnchor } from "@/ui/RouterAnchor";
import { Time } from "@/ui/Time";
import type { User } from "./api";

/** The figures of an account. */
export function UserFacts({ user }: { user: User }) {
  const { t } = useTranslation();
  return (
    <SimpleGrid component="dl" m={0} cols={{ base: 2, md: 4 }}>
      <FactCard name={t("users.column.balance")} value={<Money usd={user.quota_usd} />} reason="" />
      <FactCard
        name={t("users.column.spent")}
        value={<Money usd={user.used_quota_usd} />}
        reason=""
      />
      <FactCard
        name={t("users.column.requests")}
        value={<Count value={user.request_count} />}
        reason=""
      />
      <FactCard
        name={t("users.earned", { count: user.aff_count })}
        value={<Money usd={user.aff_quota_usd} />}
        reason=""
      />
      <FactCard
        name={t("users.column.lastLogin")}
        value={
          user.last_login_at === null ? undefined : <Time at={user.last_login_at} precision="day" />
        }
        reason={t("users.neverSeen")}
      />
      <FactCard
        name={t("users.created")}
        value={<Time at={user.created_at} precision="day" />}
        reason=""
      />
      <FactCard
        name={t("users.factor")}
        value={t(user.two_factor ? "users.on" : "users.off")}
        reason=""
      />
      <FactCard
        name={t("users.invitedBy")}
        value={
          user.inviter_id === null ? undefined : (
            <RouterAnchor to="/console/users/$id" params={{ id: String(user.inviter_id) }} inherit>
              {`#${user.inviter_id}`}
            </RouterAnchor>
          )
        }
        reason={t("users.notInvited")}
      />
    </SimpleGrid>
  );
}
