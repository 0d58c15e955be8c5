import { Anchor, Text, Title, UnstyledButton } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { useSession } from "@/session/session";
import classes from "./Playground.module.css";

const STARTERS = [
  "playground.start.one",
  "playground.start.two",
  "playground.start.three",
] as const;

/** The page before the first message: something to begin with, or why nothing can be asked. */
export function Starters({
  hasModel,
  onStart,
}: {
  hasModel: boolean;
  onStart: (text: string) => void;
}) {
  const { t } = useTranslation();
  const { isAdministrator } = useSession();
  if (!hasModel) {
    return (
      <div className={classes.empty}>
        <Title order={2} size="h4">
          {t("playground.start.noModel")}
        </Title>
        {isAdministrator ? (
          <Anchor component={Link} to="/console/channels">
            {t("playground.start.addChannel")}
          </Anchor>
        ) : (
          <Text c="dimmed">{t("playground.start.askAdministrator")}</Text>
        )}
      </div>
    );
  }
  return (
    <div className={classes.empty}>
      <Title order={2} size="h4">
        {t("playground.start.title")}
      </Title>
      <Text c="dimmed" maw="52ch">
        {t("playground.start.text")}
      </Text>
      <div className={classes.starters}>
        {STARTERS.map((key) => (
          <UnstyledButton key={key} className={classes.starter} onClick={() => onStart(t(key))}>
            {t(key)}
          </UnstyledButton>
        ))}
      </div>
    </div>
  );
}
