import { Text } from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Count } from "@/ui/Count";
import { Money, Unknown } from "@/ui/Money";
import { Sparkline } from "@/ui/Sparkline";
import type { Channel } from "./api";
import classes from "./channels.module.css";
import type { Health } from "./useHealth";

/** The last hour of a channel: failures as a line, then the figures behind it. */
export function HealthLine({ channel, health }: { channel: Channel; health: Health }) {
  const { t } = useTranslation();
  const { attempts, error_rate } = channel.health;
  const shares = health.shares(channel.id) ?? [];
  const sums = health.sums(channel.id);
  return (
    <div className={classes.health}>
      {attempts === 0 ? (
        <Text size="xs" c="dimmed" className={classes.healthLine}>
          {t("channels.health.none")}
        </Text>
      ) : (
        <Sparkline
          values={shares}
          max={1}
          className={classes.healthLine}
          label={t("channels.health.line", { attempts })}
          color={
            (error_rate ?? 0) >= 0.1
              ? "var(--mantine-color-red-filled)"
              : "var(--mantine-color-green-filled)"
          }
        />
      )}
      <Figure label={t("channels.health.errors")}>
        <Count
          value={error_rate}
          format={{ style: "percent", maximumFractionDigits: 1 }}
          reason={t("channels.health.none")}
        />
      </Figure>
      <Figure label={t("channels.health.tries")}>
        <Count value={attempts} format={{ notation: "compact" }} />
      </Figure>
      <Figure label={t("channels.health.p95")}>
        {sums?.first_byte_ms.p95 === null || sums === undefined ? (
          <Unknown reason={t("channels.health.none")} />
        ) : (
          t("channels.ms", { count: Math.round(sums.first_byte_ms.p95 ?? 0) })
        )}
      </Figure>
      <Figure label={t("channels.health.spend")}>
        {sums === undefined ? (
          <Unknown reason={t("channels.health.none")} />
        ) : (
          <Money usd={sums.charge_usd} />
        )}
      </Figure>
    </div>
  );
}

function Figure({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div>
      <Text size="xs" c="dimmed">
        {label}
      </Text>
      <Text size="sm" fw={600} style={{ fontVariantNumeric: "tabular-nums" }}>
        {children}
      </Text>
    </div>
  );
}
