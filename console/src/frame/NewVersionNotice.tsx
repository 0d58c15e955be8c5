// After an upgrade the open page is older than the server. It says so and offers to reload; it never
// reloads by itself, since somebody may be in the middle of something.

import { Alert, Button, Group, Text } from "@mantine/core";
import { IconRefresh } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { useTranslation } from "react-i18next";
import { getText } from "@/api/client";

const EVERY_MS = 60_000;
const ENTRY = /\/assets\/console-[^"]+\.js/;

/** The entry script of this page, as its name says which build it is. */
function ownEntry(): string | undefined {
  const scripts = [...document.querySelectorAll<HTMLScriptElement>("script[src]")];
  return scripts.map(({ src }) => ENTRY.exec(src)?.[0]).find((entry) => entry !== undefined);
}

export function NewVersionNotice() {
  const { t } = useTranslation();
  const { data: served, refetch } = useQuery({
    queryKey: ["frame", "entry"],
    staleTime: EVERY_MS,
    refetchInterval: EVERY_MS,
    queryFn: async ({ signal }) => ENTRY.exec(await getText("/console", { signal }))?.[0] ?? null,
  });
  useEffect(() => {
    // A part of this page that is gone from the server is the surest sign.
    const onMissing = () => void refetch();
    window.addEventListener("vite:preloadError", onMissing);
    return () => window.removeEventListener("vite:preloadError", onMissing);
  }, [refetch]);
  const own = ownEntry();
  if (served === undefined || served === null || own === undefined || served === own) {
    return null;
  }
  return (
    <Alert
      variant="light"
      color="blue"
      icon={<IconRefresh />}
      mb="lg"
      role="status"
      title={t("frame.newVersion")}
    >
      <Group justify="space-between" gap="sm">
        <Text size="sm">{t("frame.newVersionText")}</Text>
        <Button size="xs" variant="default" onClick={() => location.reload()}>
          {t("frame.reload")}
        </Button>
      </Group>
    </Alert>
  );
}
