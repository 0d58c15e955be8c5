import { Group, Text, ThemeIcon } from "@mantine/core";
import { IconCheck, IconCircle } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { statusQuery, useSession } from "@/session/session";
import { RouterAnchor } from "@/ui/RouterAnchor";
import {
  backupQuery,
  channelsQuery,
  lastCallsQuery,
  ownKeysQuery,
  serviceSettingsQuery,
} from "./api";
import classes from "./overview.module.css";
import { Panel } from "./Panel";

interface Step {
  text: string;
  to: string;
  isDone: boolean;
}

/** What is left to do after set-up; gone once all of it is done. Shown only when all is known. */
export function Checklist() {
  const own = useOwnSteps();
  const before = useChannelSteps();
  const after = useServiceSteps();
  if (own === undefined || before === undefined || after === undefined) {
    return null;
  }
  const steps = [...before, ...own, ...after];
  return steps.every(({ isDone }) => isDone) ? null : <Steps steps={steps} />;
}

/** Of whoever looks. */
function useOwnSteps(): Step[] | undefined {
  const { t } = useTranslation();
  const { user } = useSession();
  const keys = useQuery(ownKeysQuery).data;
  const calls = useQuery(lastCallsQuery).data;
  if (keys === undefined || calls === undefined) {
    return undefined;
  }
  const hasCalled = calls.length > 0 || user.request_count > 0;
  return [
    { text: t("overview.todo.key"), to: "/console/keys", isDone: keys.total > 0 },
    { text: t("overview.todo.call"), to: "/console/connect", isDone: hasCalled },
    { text: t("overview.todo.factor"), to: "/console/account", isDone: user.two_factor },
  ];
}

/** Of administrators: somebody who answers, and somebody else when they do not. */
function useChannelSteps(): Step[] | undefined {
  const { t } = useTranslation();
  const { isAdministrator } = useSession();
  const total = useQuery({ ...channelsQuery, enabled: isAdministrator }).data?.total;
  if (!isAdministrator) {
    return [];
  }
  if (total === undefined) {
    return undefined;
  }
  return [
    { text: t("overview.todo.channel"), to: "/console/channels", isDone: total > 0 },
    { text: t("overview.todo.second"), to: "/console/channels", isDone: total > 1 },
  ];
}

/** Of administrators: the service itself. A copy of the records is root's, and none of PostgreSQL's. */
function useServiceSteps(): Step[] | undefined {
  const { t } = useTranslation();
  const { isAdministrator, isRoot } = useSession();
  const settings = useQuery({ ...serviceSettingsQuery, enabled: isAdministrator }).data;
  const backup = useQuery({ ...backupQuery, enabled: isRoot }).data;
  const isPersonal = useQuery(statusQuery).data?.mode === "personal";
  if (!isAdministrator) {
    return [];
  }
  if (settings === undefined || (isRoot && backup === undefined)) {
    return undefined;
  }
  return [
    {
      text: t("overview.todo.address"),
      to: "/console/settings/general",
      isDone: settings.hasAddress,
    },
    ...(isPersonal
      ? []
      : [
          {
            text: t("overview.todo.limits"),
            to: "/console/settings/limits",
            isDone: settings.hasLimits,
          },
        ]),
    ...(backup?.isOffered === true
      ? [{ text: t("overview.todo.backup"), to: "/console/system", isDone: backup.isMade }]
      : []),
  ];
}

function Steps({ steps }: { steps: readonly Step[] }) {
  const { t } = useTranslation();
  const done = steps.filter(({ isDone }) => isDone).length;
  return (
    <Panel
      title={t("overview.todo.title")}
      aside={
        <Text size="sm" c="dimmed">
          {t("overview.todo.progress", { done, total: steps.length })}
        </Text>
      }
    >
      <ul className={classes.steps}>
        {steps.map(({ text, to, isDone }) => (
          <li key={text}>
            <Group gap="sm" wrap="nowrap">
              <ThemeIcon
                size={22}
                radius="xl"
                variant="light"
                color={isDone ? "green" : "gray"}
                role="img"
                aria-label={t(isDone ? "overview.todo.done" : "overview.todo.open")}
              >
                {isDone ? <IconCheck size={14} /> : <IconCircle size={14} />}
              </ThemeIcon>
              {isDone ? (
                <Text size="sm" c="dimmed">
                  {text}
                </Text>
              ) : (
                <RouterAnchor size="sm" to={to}>
                  {text}
                </RouterAnchor>
              )}
            </Group>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
