// Pages and actions of the command palette, by role.

import { useMantineColorScheme } from "@mantine/core";
import type { SpotlightActionGroupData } from "@mantine/spotlight";
import {
  IconBroadcast,
  IconDatabaseImport,
  IconHistory,
  IconKey,
  IconLanguage,
  IconLogout,
  IconMoon,
  IconPlugX,
  IconPlus,
  IconProgress,
  IconSpeakerphone,
  IconUserPlus,
  IconUsersGroup,
} from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { LANGUAGES } from "@/i18n/languages";
import { changeLanguage } from "@/i18n/setup";
import { THEMES } from "@/lib/theme";
import { signOut, useSession } from "@/session/session";
import { failureToast } from "@/ui/toast";
import { usePages } from "../usePages";

const THEME_TEXT = { auto: "theme.system", light: "theme.light", dark: "theme.dark" } as const;
const SIZE = { size: 18, stroke: 1.6 } as const;

/** Pages that have no entry in the navigation. */
const FURTHER_PAGES = [
  { to: "/console/tasks", text: "palette.tasks", icon: IconProgress, isForAll: true },
  { to: "/console/groups", text: "palette.groups", icon: IconUsersGroup, isForAll: false },
  {
    to: "/console/announcements",
    text: "nav.announcements",
    icon: IconSpeakerphone,
    isForAll: false,
  },
  { to: "/console/audit", text: "palette.audit", icon: IconHistory, isForAll: false },
  {
    to: "/console/settings/import",
    text: "palette.import",
    icon: IconDatabaseImport,
    isForAll: false,
  },
  { to: "/status", text: "palette.status", icon: IconBroadcast, isForAll: true },
] as const;

export interface CommandsProps {
  /** Asks which channel to drain. */
  onDrain: () => void;
}

export function useCommands({ onDrain }: CommandsProps): SpotlightActionGroupData[] {
  const { t, i18n } = useTranslation();
  const navigate = useNavigate();
  const client = useQueryClient();
  const { isAdministrator } = useSession();
  const { personal, administration } = usePages();
  const { setColorScheme } = useMantineColorScheme();
  const leave = async () => {
    try {
      await signOut(client);
      await navigate({ to: "/login" });
    } catch (error) {
      failureToast(error);
    }
  };
  const further = FURTHER_PAGES.filter(({ isForAll }) => isForAll || isAdministrator);
  return [
    {
      group: t("palette.pages"),
      actions: [...personal, ...administration, ...further].map(({ to, text, icon: Icon }) => ({
        id: `page ${to}`,
        label: t(text),
        leftSection: <Icon {...SIZE} />,
        onClick: () => void navigate({ to }),
      })),
    },
    {
      group: t("palette.actions"),
      actions: [
        {
          id: "new key",
          label: t("palette.newKey"),
          leftSection: <IconKey {...SIZE} />,
          onClick: () => void navigate({ to: "/console/keys", search: { new: true } }),
        },
        ...(isAdministrator
          ? [
              {
                id: "new channel",
                label: t("palette.newChannel"),
                leftSection: <IconPlus {...SIZE} />,
                onClick: () => void navigate({ to: "/console/channels/new" }),
              },
              {
                id: "drain channel",
                label: t("palette.drain"),
                leftSection: <IconPlugX {...SIZE} />,
                closeSpotlightOnTrigger: false,
                onClick: onDrain,
              },
              {
                id: "new user",
                label: t("palette.newUser"),
                leftSection: <IconUserPlus {...SIZE} />,
                onClick: () => void navigate({ to: "/console/users", search: { open: "new" } }),
              },
              {
                id: "new announcement",
                label: t("palette.newAnnouncement"),
                leftSection: <IconBroadcast {...SIZE} />,
                onClick: () =>
                  void navigate({ to: "/console/announcements", search: { open: "new" } }),
              },
            ]
          : []),
        ...THEMES.map((theme) => ({
          id: `theme ${theme}`,
          label: t("theme.label", { theme: t(THEME_TEXT[theme]) }),
          leftSection: <IconMoon {...SIZE} />,
          onClick: () => setColorScheme(theme),
        })),
        ...LANGUAGES.map(({ code, label }) => ({
          id: `language ${code}`,
          label: t("language.label", { language: label }),
          leftSection: <IconLanguage {...SIZE} />,
          onClick: () => void changeLanguage(i18n, code),
        })),
        {
          id: "sign out",
          label: t("frame.signOut"),
          leftSection: <IconLogout {...SIZE} />,
          onClick: () => void leave(),
        },
      ],
    },
  ];
}
