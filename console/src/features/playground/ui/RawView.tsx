import { Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { RawEvents } from "../send/rawEvents";
import classes from "./Message.module.css";
import { useNumbers } from "./numbers";

/** Each event as it came, with the time since sending. */
export function RawView({ events, dropped }: RawEvents) {
  const { t } = useTranslation();
  const { decimal } = useNumbers();
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard */}
      <section className={classes.raw} tabIndex={0} aria-label={t("playground.raw.label")}>
        <table>
          <thead>
            <tr>
              <th scope="col">{t("playground.raw.at")}</th>
              <th scope="col">{t("playground.raw.event")}</th>
              <th scope="col">{t("playground.raw.data")}</th>
            </tr>
          </thead>
          <tbody>
            {events.map(({ atMs, name, data }, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: events are only ever added at the end
              <tr key={index}>
                <td>{t("playground.raw.ms", { ms: decimal(atMs, 1) })}</td>
                <td>{name}</td>
                <td>{data}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {dropped > 0 && (
        <Text size="xs" c="dimmed">
          {t("playground.raw.dropped", { count: dropped })}
        </Text>
      )}
    </>
  );
}
