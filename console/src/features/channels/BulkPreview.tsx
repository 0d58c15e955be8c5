import { Table, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { Effect } from "./bulk";
import classes from "./channels.module.css";

/** Each channel before and after; those that stay out say why. */
export function BulkPreview({ effects }: { effects: readonly Effect[] }) {
  const { t } = useTranslation();
  if (effects.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        {t("channels.bulk.fill")}
      </Text>
    );
  }
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard.
    <section className={classes.rowsBox} aria-label={t("channels.bulk.preview")} tabIndex={0}>
      <Table>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t("channels.field.name")}</Table.Th>
            <Table.Th>{t("channels.bulk.before")}</Table.Th>
            <Table.Th>{t("channels.bulk.after")}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {effects.map(({ channel, before, after, skipped }) => (
            <Table.Tr key={channel.id}>
              <Table.Td style={{ overflowWrap: "anywhere" }}>
                <bdi>{channel.name}</bdi>
              </Table.Td>
              <Table.Td>
                <Text size="sm" lineClamp={2} style={{ overflowWrap: "anywhere" }}>
                  {before}
                </Text>
              </Table.Td>
              <Table.Td>
                {skipped === undefined ? (
                  <Text size="sm" fw={600} lineClamp={2} style={{ overflowWrap: "anywhere" }}>
                    {after}
                  </Text>
                ) : (
                  <Text size="sm" c="dimmed">
                    {skipped === "same" ? t("channels.bulk.same") : t("channels.bulk.declared")}
                  </Text>
                )}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </section>
  );
}
