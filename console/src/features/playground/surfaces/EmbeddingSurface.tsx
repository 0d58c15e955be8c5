import { ScrollArea, Stack, Table, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { useOneCall } from "../hooks/useOneCall";
import { useNumbers } from "../ui/numbers";
import classes from "../ui/Playground.module.css";
import { RunForm, type SurfaceProps } from "./RunForm";
import { TextList } from "./TextList";
import { cosine, vectorsOf } from "./vectors";

const SHOWN_VALUES = 8;

/** Texts as vectors: their length, first values, and how near the texts are to each other. */
export function EmbeddingSurface({ input, onInput, request, blocked }: SurfaceProps) {
  const { t } = useTranslation();
  const call = useOneCall(async (answer) => vectorsOf(await answer.json()));
  const missing = input.texts.some((text) => text.trim() !== "")
    ? undefined
    : t("playground.needText");
  return (
    <RunForm
      call={call}
      request={request}
      blocked={blocked ?? missing}
      result={(vectors) => <Vectors vectors={vectors} />}
    >
      <TextList
        label={t("playground.embedding.inputs")}
        texts={input.texts}
        onChange={(texts) => onInput({ texts })}
      />
    </RunForm>
  );
}

function Vectors({ vectors }: { vectors: number[][] }) {
  const { t } = useTranslation();
  const { count, decimal } = useNumbers();
  return (
    <Stack gap="md">
      <ScrollArea type="auto">
        <Table className={classes.figures ?? ""} aria-label={t("playground.embedding.vectors")}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t("playground.embedding.text")}</Table.Th>
              <Table.Th ta="end">{t("playground.embedding.length")}</Table.Th>
              <Table.Th>{t("playground.embedding.first", { count: SHOWN_VALUES })}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {vectors.map((vector, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a vector is its place among the inputs
              <Table.Tr key={index}>
                <Table.Td>{index + 1}</Table.Td>
                <Table.Td ta="end">{count(vector.length)}</Table.Td>
                <Table.Td ff="monospace" fz="xs">
                  {vector
                    .slice(0, SHOWN_VALUES)
                    .map((value) => decimal(value, 4))
                    .join("  ")}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </ScrollArea>
      {vectors.length > 1 && <Nearness vectors={vectors} />}
    </Stack>
  );
}

function Nearness({ vectors }: { vectors: number[][] }) {
  const { t } = useTranslation();
  const { decimal } = useNumbers();
  const numbers = vectors.map((_, index) => index + 1);
  return (
    <div>
      <Text size="sm" fw={500} mb={4}>
        {t("playground.embedding.cosine")}
      </Text>
      <ScrollArea type="auto">
        <Table
          withTableBorder
          withColumnBorders
          w="auto"
          className={classes.figures ?? ""}
          aria-label={t("playground.embedding.cosine")}
        >
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t("playground.embedding.text")}</Table.Th>
              {numbers.map((number) => (
                <Table.Th key={number} ta="end">
                  {number}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {vectors.map((row, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: see above
              <Table.Tr key={index}>
                <Table.Th scope="row">{index + 1}</Table.Th>
                {vectors.map((column, at) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: see above
                  <Table.Td key={at} ta="end">
                    {decimal(cosine(row, column), 3)}
                  </Table.Td>
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </ScrollArea>
    </div>
  );
}
