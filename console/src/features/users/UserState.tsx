import { useTranslation } from "react-i18next";
import { StatusBadge } from "@/ui/StatusBadge";
import type { User } from "./api";
import { ENABLED } from "./roles";

/** Enabled or disabled. */
export function UserState({ user }: { user: Pick<User, "status"> }) {
  const { t } = useTranslation();
  return user.status === ENABLED ? (
    <StatusBadge tone="good" label={t("users.enabled")} />
  ) : (
    <StatusBadge tone="bad" label={t("users.disabled")} />
  );
}
