import { Select } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { useUrlState } from "@/ui/useUrlState";
import type { OrdersSearch } from "./search";

/** Names of providers; they are names, not words. */
const PROVIDERS = [
  { value: "stripe", label: "Stripe" },
  { value: "epay", label: "EPay" },
  { value: "sandbox", label: "Sandbox" },
];

/** Narrows either list to one provider. */
export function ProviderSelect() {
  const { t } = useTranslation();
  const [{ provider }, setSearch] = useUrlState<OrdersSearch>();
  return (
    <Select
      w={160}
      clearable
      aria-label={t("orders.provider")}
      placeholder={t("orders.anyProvider")}
      data={PROVIDERS}
      value={provider ?? null}
      onChange={(chosen) =>
        setSearch({ provider: chosen ?? undefined, p: undefined, cursor: undefined })
      }
    />
  );
}
