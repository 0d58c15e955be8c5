import { Button, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useTranslation } from "react-i18next";
import { useLive } from "../hooks/useLive";
import type { LiveReply } from "../send/live";
import classes from "./Message.module.css";
import { Parts } from "./Parts";
import { RawView } from "./RawView";

/** The reply that is growing. */
export function LiveMessage({ live, model }: { live: LiveReply; model: string }) {
  const { t } = useTranslation();
  const { reply, raw, dropped } = useLive(live);
  const [isRaw, { toggle }] = useDisclosure(false);
  return (
    <article
      className={classes.message}
      aria-label={t("playground.role.assistant")}
      aria-busy="true"
    >
      <Text size="xs" c="dimmed" fw={600} mb={4} className={classes.breaks}>
        {model}
      </Text>
      <Parts parts={reply.parts} isGrowing />
      <span className={classes.cursor} aria-hidden />
      {raw.length > 0 && (
        <Button
          size="compact-xs"
          variant="subtle"
          color="gray"
          mt="xs"
          display="block"
          onClick={toggle}
          aria-expanded={isRaw}
        >
          {t("playground.message.raw")}
        </Button>
      )}
      {isRaw && <RawView events={raw} dropped={dropped} />}
    </article>
  );
}
