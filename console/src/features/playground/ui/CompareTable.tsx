import { ActionIcon, Badge, Loader, Table } from "@mantine/core";
import { IconTrophy } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Money, Unknown } from "@/ui/Money";
import type { ReplyFacts } from "../model/conversation";
import type { Settings } from "../model/settings";
import { callQuery } from "../send/api";
import { useNumbers } from "./numbers";
import classes from "./Playground.module.css";

interface ComparedColumn {
  id: string;
  settings: Settings;
  facts?: ReplyFacts | undefined;
  isRunning: boolean;
}

export interface CompareTableProps {
  columns: readonly ComparedColumn[];
  vote: string | undefined;
  /** The vote stays in this page. */
  onVote: (id: string) => void;
}

/** Times, tokens and charges of the last replies side by side. */
export function CompareTable({ columns, vote, onVote }: CompareTableProps) {
  const { t } = useTranslation();
  if (columns.every(({ facts, isRunning }) => facts === undefined && !isRunning)) {
    return null;
  }
  return (
    <Table.ScrollContainer minWidth={560} px="md" style={{ flexShrink: 0 }}>
      <Table
        className={classes.figures ?? ""}
        verticalSpacing={4}
        aria-label={t("playground.compare.table")}
      >
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t("playground.model.label")}</Table.Th>
            <Table.Th>{t("playground.compare.result")}</Table.Th>
            <Table.Th ta="end">{t("playground.facts.first")}</Table.Th>
            <Table.Th ta="end">{t("playground.facts.total")}</Table.Th>
            <Table.Th ta="end">{t("playground.facts.output")}</Table.Th>
            <Table.Th ta="end">{t("playground.facts.charge")}</Table.Th>
            <Table.Th ta="end">{t("playground.compare.vote")}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {columns.map((column, index) => (
            <Row
              key={column.id}
              column={column}
              number={index + 1}
              isWinner={vote === column.id}
              onVote={() => onVote(column.id)}
            />
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

const END_TEXT = {
  complete: "playground.compare.complete",
  stopped: "playground.compare.stopped",
  cut: "playground.compare.cut",
  failed: "playground.compare.failed",
} as const;

interface RowProps {
  column: ComparedColumn;
  number: number;
  isWinner: boolean;
  onVote: () => void;
}

function Row({ column: { settings, facts, isRunning }, number, isWinner, onVote }: RowProps) {
  const { t } = useTranslation();
  const { seconds, count } = useNumbers();
  const id = facts?.requestId;
  const { data: call } = useQuery({
    ...callQuery(id ?? ""),
    enabled: id !== undefined && !isRunning,
  });
  const milliseconds = (value: number | undefined) =>
    value === undefined ? <Unknown /> : seconds(value);
  const output = call?.usage.output_tokens ?? facts?.usage.output;
  return (
    <Table.Tr>
      <Table.Th scope="row" maw={220} style={{ overflowWrap: "anywhere" }}>
        {settings.model}
      </Table.Th>
      <Table.Td>
        {isRunning || facts === undefined ? (
          <Loader size="xs" aria-label={t("playground.generating")} />
        ) : (
          <Badge variant="default" miw="max-content">
            {t(END_TEXT[facts.end])}
          </Badge>
        )}
      </Table.Td>
      <Table.Td ta="end">{milliseconds(facts?.firstTokenMs)}</Table.Td>
      <Table.Td ta="end">{milliseconds(facts?.totalMs)}</Table.Td>
      <Table.Td ta="end">{output === undefined ? <Unknown /> : count(output)}</Table.Td>
      <Table.Td ta="end">
        <Money usd={call?.charge_usd} />
      </Table.Td>
      <Table.Td ta="end">
        <ActionIcon
          variant={isWinner ? "filled" : "subtle"}
          color={isWinner ? "gate" : "gray"}
          aria-pressed={isWinner}
          aria-label={t("playground.compare.voteFor", { number })}
          onClick={onVote}
        >
          <IconTrophy size={16} />
        </ActionIcon>
      </Table.Td>
    </Table.Tr>
  );
}
