import { Table, Text, Tooltip, UnstyledButton } from "@mantine/core";
import { IconCheck, IconX } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { aliasOf } from "@/lib/servedModels";
import type { Channel } from "./api";
import classes from "./channels.module.css";
import { type CellResult, cellKey, type MatrixRun } from "./matrix";

export interface MatrixGridProps {
  channels: readonly Channel[];
  models: readonly string[];
  run: MatrixRun | undefined;
}

/** Channels down, models across; what failed says at which step and why. */
export function MatrixGrid({ channels, models, run }: MatrixGridProps) {
  const { t } = useTranslation();
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard.
    <section className={classes.matrix} aria-label={t("channels.matrix.title")} tabIndex={0}>
      <Table withColumnBorders>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t("channels.matrix.channel")}</Table.Th>
            {models.map((model) => (
              <Table.Th key={model} style={{ overflowWrap: "anywhere" }}>
                {model}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {channels.map((channel) => (
            <Table.Tr key={channel.id}>
              <Table.Th scope="row" style={{ overflowWrap: "anywhere" }}>
                <bdi>{channel.name}</bdi>
              </Table.Th>
              {models.map((model) => (
                <Table.Td key={model}>
                  {channel.models.some((entry) => aliasOf(entry) === model) ? (
                    <Result
                      result={run?.results[cellKey({ channelId: channel.id, model })]}
                      isRunning={run?.isRunning === true}
                    />
                  ) : (
                    <Text size="sm" c="dimmed" title={t("channels.models.notServed")}>
                      {"—"}
                    </Text>
                  )}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </section>
  );
}

function Result({ result, isRunning }: { result: CellResult | undefined; isRunning: boolean }) {
  const { t } = useTranslation();
  if (result === undefined) {
    return (
      <Text size="sm" c="dimmed">
        {isRunning ? t("channels.matrix.waiting") : t("channels.matrix.untested")}
      </Text>
    );
  }
  if (result.outcome === "passed") {
    return (
      <Text size="sm" style={{ whiteSpace: "nowrap" }}>
        <IconCheck size={14} color="var(--mantine-color-green-filled)" aria-hidden />{" "}
        {t("channels.test.took", { count: result.took_ms })}
      </Text>
    );
  }
  if (result.outcome === "skipped") {
    return (
      <Text size="sm" c="dimmed" title={result.detail}>
        {"—"}
      </Text>
    );
  }
  return (
    <Tooltip
      label={result.detail}
      multiline
      maw={360}
      events={{ hover: true, focus: true, touch: true }}
    >
      <UnstyledButton aria-label={`${t("channels.outcome.failed")}: ${result.detail}`}>
        <Text size="sm" span style={{ whiteSpace: "nowrap" }}>
          <IconX size={14} color="var(--mantine-color-red-filled)" aria-hidden />{" "}
          {t("channels.outcome.failed")}
        </Text>
      </UnstyledButton>
    </Tooltip>
  );
}
