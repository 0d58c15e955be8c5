import { Alert, Stack, Text } from "@mantine/core";
import { IconAlertTriangle, IconSpeakerphone } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense, useState } from "react";
import { useTranslation } from "react-i18next";
import { readPreference, storePreference } from "@/lib/preference";
import classes from "./AppFrame.module.css";
import { noticesQuery } from "./notices";

const DISMISSED_KEY = "modelgate-dismissed-notices";
const NoticeText = lazy(() => import("@/ui/NoticeText"));

function readDismissed(): number[] {
  return (readPreference(DISMISSED_KEY) ?? "").split(",").filter(Boolean).map(Number);
}

/** Announcements above the page until they end or are dismissed in this browser. */
export function AnnouncementStrip() {
  const { t } = useTranslation();
  const { data = [] } = useQuery(noticesQuery);
  const [dismissed, setDismissed] = useState(readDismissed);
  const shown = data.filter(({ id }) => !dismissed.includes(id));
  if (shown.length === 0) {
    return null;
  }
  const dismiss = (id: number) => {
    const next = [...dismissed, id];
    storePreference(DISMISSED_KEY, next.join(","));
    setDismissed(next);
  };
  return (
    <Stack gap="xs" mb="lg">
      {shown.map(({ id, title, body, level }) => (
        <Alert
          key={id}
          role="region"
          aria-label={t("frame.announcement")}
          variant="light"
          className={classes.strip}
          color={level === "incident" ? "orange" : "blue"}
          icon={level === "incident" ? <IconAlertTriangle /> : <IconSpeakerphone />}
          withCloseButton
          closeButtonLabel={t("frame.dismiss")}
          onClose={() => dismiss(id)}
        >
          <div className={classes.notice}>
            <Text size="sm" fw={600}>
              {title}
            </Text>
            <Suspense fallback={<Text size="sm">{body}</Text>}>
              <NoticeText text={body} />
            </Suspense>
          </div>
        </Alert>
      ))}
    </Stack>
  );
}
