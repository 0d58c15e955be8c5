import { Anchor, Group, Text, ThemeIcon } from "@mantine/core";
import { IconCheck, IconCircle } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useSession } from "@/session/session";
import { channelsQuery, lastCallsQuery, ownKeysQuery, publicAddressQuery } from "./api";
import classes from "./overview.module.css";
import { Panel } from "./Panel";

interface Step {
  text: string;
  href: string;
  isDone: boolean;
}

/** What is left to do after set-up; gone once all of it is done. Shown only when all is known. */
export function Checklist() {
  const { t } = useTranslation();
  const { user, isAdministrator } = useSession();
  const keys = useQuery(ownKeysQuery).data;
  const calls = useQuery(lastCallsQuery).data;
  const channels = useQuery({ ...channelsQuery, enabled: isAdministrator }).data;
  const address = useQuery({ ...publicAddressQuery, enabled: isAdministrator }).data;
  const isKnown =
    keys !== undefined &&
    calls !== undefined &&
    (!isAdministrator || (channels !== undefined && address !== undefined));
  if (!isKnown) {
    return null;
  }
  const total = channels?.total ?? 0;
  const steps: Step[] = [
    ...(isAdministrator
      ? [
          { text: t("overview.todo.channel"), href: "/console/channels", isDone: total > 0 },
          { text: t("overview.todo.second"), href: "/console/channels", isDone: total > 1 },
        ]
      : []),
    { text: t("overview.todo.key"), href: "/console/keys", isDone: keys.total > 0 },
    {
      text: t("overview.todo.call"),
      href: "/console/connect",
      isDone: calls.length > 0 || user.request_count > 0,
    },
    { text: t("overview.todo.factor"), href: "/console/account", isDone: user.two_factor },
    ...(isAdministrator
      ? [
          {
            text: t("overview.todo.address"),
            href: "/console/settings",
            isDone: address !== null && address !== "",
          },
        ]
      : []),
  ];
  return steps.every(({ isDone }) => isDone) ? null : <Steps steps={steps} />;
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
        {steps.map(({ text, href, isDone }) => (
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
                <Anchor size="sm" href={href}>
                  {text}
                </Anchor>
              )}
            </Group>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
