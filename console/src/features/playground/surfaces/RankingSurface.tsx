import { Group, Progress, Stack, Text, TextInput } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { useOneCall } from "../hooks/useOneCall";
import { count, fields, list } from "../stream/fields";
import messageClasses from "../ui/Message.module.css";
import { useNumbers } from "../ui/numbers";
import classes from "../ui/Playground.module.css";
import { RunForm, type SurfaceProps } from "./RunForm";
import { TextList } from "./TextList";

interface Ranked {
  text: string;
  score: number;
}

/** Documents by how well they answer a query. */
export function RankingSurface({ input, onInput, request, blocked }: SurfaceProps) {
  const { t } = useTranslation();
  const call = useOneCall(async (answer, sent) =>
    rankedOf(await answer.json(), sent.body.value.documents),
  );
  const isMissing = input.text.trim() === "" || !input.texts.some((text) => text.trim() !== "");
  return (
    <RunForm
      call={call}
      request={request}
      blocked={blocked ?? (isMissing ? t("playground.ranking.need") : undefined)}
      result={(ranked) => <RankedList ranked={ranked} />}
    >
      <TextInput
        label={t("playground.ranking.query")}
        value={input.text}
        onChange={(event) => onInput({ text: event.currentTarget.value })}
      />
      <TextList
        label={t("playground.ranking.documents")}
        texts={input.texts}
        onChange={(texts) => onInput({ texts })}
      />
    </RunForm>
  );
}

/** The documents as they were sent, in the order that came back. */
function rankedOf(body: unknown, documents: unknown): Ranked[] {
  const texts = list(documents).map(String);
  return list(fields(body).results).map((item) => {
    const { index, relevance_score: score } = fields(item);
    return { text: texts[count(index) ?? -1] ?? "", score: count(score) ?? 0 };
  });
}

function RankedList({ ranked }: { ranked: Ranked[] }) {
  const { decimal } = useNumbers();
  return (
    <Stack component="ol" gap="sm" p={0} m={0} style={{ listStyle: "none" }}>
      {ranked.map(({ text, score }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a rank is its place
        <li key={index}>
          <Group justify="space-between" wrap="nowrap" gap="md">
            <Text size="sm" className={messageClasses.breaks}>
              {text}
            </Text>
            <Text size="sm" className={classes.figures}>
              {decimal(score, 3)}
            </Text>
          </Group>
          <Progress value={score * 100} size="sm" aria-label={text} />
        </li>
      ))}
    </Stack>
  );
}
