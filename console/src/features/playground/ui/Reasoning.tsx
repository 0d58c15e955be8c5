import { Box, Collapse, Text, UnstyledButton } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconBulb, IconChevronRight } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import classes from "./Message.module.css";
import { useNumbers } from "./numbers";

export interface ReasoningProps {
  text: string;
  isGrowing: boolean;
  milliseconds?: number | undefined;
  tokens?: number | undefined;
}

/** What the model thought, folded: how long it took and how many tokens are in view. */
export function Reasoning({ text, isGrowing, milliseconds, tokens }: ReasoningProps) {
  const { t } = useTranslation();
  const { seconds, count } = useNumbers();
  const [isOpen, { toggle }] = useDisclosure(false);
  const title = isGrowing ? t("playground.reasoning.now") : t("playground.reasoning.title");
  const facts = [
    ...(milliseconds === undefined ? [] : [seconds(milliseconds)]),
    ...(tokens === undefined
      ? []
      : [t("playground.tokens", { count: tokens, shown: count(tokens) })]),
  ];
  return (
    <Box className={classes.reasoning}>
      <UnstyledButton onClick={toggle} aria-expanded={isOpen} className={classes.fold}>
        <IconBulb size={16} aria-hidden />
        <Text size="sm" fw={550}>
          {title}
        </Text>
        <Text size="xs" c="dimmed">
          {facts.join(" · ")}
        </Text>
        <IconChevronRight size={14} className={classes.chevron} data-open={isOpen} aria-hidden />
      </UnstyledButton>
      <Collapse expanded={isOpen}>
        <div className={classes.thought}>{text}</div>
      </Collapse>
    </Box>
  );
}
