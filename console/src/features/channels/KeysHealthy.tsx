import { useTranslation } from "react-i18next";
import type { Channel } from "./api";

/** "3/4 keys healthy"; a channel without keys says so. */
export function KeysHealthy({ channel }: { channel: Channel }) {
  const { t } = useTranslation();
  if (channel.key_count === 0) {
    return <>{t("channels.keys.none")}</>;
  }
  const healthy = channel.health.keys.filter(({ state }) => state === "on").length;
  return <>{t("channels.keys.healthy", { healthy, count: channel.key_count })}</>;
}
