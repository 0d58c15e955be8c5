import { Badge, Button, Group, Stack, Text } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { browserName } from "@/lib/browserName";
import { DataRegion } from "@/ui/DataRegion";
import { SectionCard } from "@/ui/SectionCard";
import { Time } from "@/ui/Time";
import { failureToast, toast } from "@/ui/toast";
import { endOtherSessions, endSession, type LoginSession, sessionsQuery } from "./api";

const SKELETON_HEIGHT = 160;

/** Where one is signed in, and ending that. */
export function Sessions() {
  const { t } = useTranslation();
  const client = useQueryClient();
  const sessions = useQuery(sessionsQuery);
  const endOthers = useMutation({
    mutationFn: endOtherSessions,
    onSuccess: () => {
      toast(t("account.othersEnded"));
      return client.invalidateQueries({ queryKey: sessionsQuery.queryKey });
    },
    onError: failureToast,
  });
  const hasOthers = (sessions.data?.length ?? 0) > 1;
  return (
    <SectionCard
      title={t("account.sessions")}
      text={t("account.sessionsText")}
      aside={
        hasOthers && (
          <Button
            variant="default"
            size="xs"
            loading={endOthers.isPending}
            onClick={() => endOthers.mutate()}
          >
            {t("account.endOthers")}
          </Button>
        )
      }
    >
      <DataRegion query={sessions} skeletonHeight={SKELETON_HEIGHT}>
        {(list) => (
          <Stack component="ul" gap="md" m={0} p={0} style={{ listStyle: "none" }}>
            {list.map((session) => (
              <Entry key={session.id} session={session} />
            ))}
          </Stack>
        )}
      </DataRegion>
    </SectionCard>
  );
}

function Entry({ session }: { session: LoginSession }) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const name = browserName(session.user_agent) ?? t("account.unknownBrowser");
  const end = useMutation({
    mutationFn: () => endSession(session.id),
    onSuccess: () => {
      toast(t("account.sessionEnded", { name }));
      return client.invalidateQueries({ queryKey: sessionsQuery.queryKey });
    },
    onError: failureToast,
  });
  return (
    <Group component="li" gap="sm">
      <Stack gap={0} flex={1} miw={200}>
        <Group gap="xs">
          <Text
            size="sm"
            fw={600}
            style={{ overflowWrap: "anywhere" }}
            {...(session.user_agent === null ? {} : { title: session.user_agent })}
          >
            {name}
          </Text>
          {session.is_current && <Badge variant="light">{t("account.thisSession")}</Badge>}
        </Group>
        <Text size="xs" c="dimmed">
          {t("account.from")} {session.ip ?? "—"}
          {" · "}
          {t("account.signedIn")} <Time at={session.created_at} />
          {" · "}
          {t("account.lastSeen")} <Time at={session.last_seen_at} />
        </Text>
      </Stack>
      {!session.is_current && (
        <Button variant="default" size="xs" loading={end.isPending} onClick={() => end.mutate()}>
          {t("account.endSession")}
        </Button>
      )}
    </Group>
  );
}
