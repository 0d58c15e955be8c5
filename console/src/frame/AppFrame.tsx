import { AppShell, Burger, Group, Text, UnstyledButton } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { LanguageMenu } from "@/ui/LanguageMenu";
import mark from "@/ui/mark.svg";
import { ThemeMenu } from "@/ui/ThemeMenu";
import { AnnouncementStrip } from "./AnnouncementStrip";
import classes from "./AppFrame.module.css";
import { NotificationBell } from "./bell/NotificationBell";
import { EnvironmentRibbon } from "./EnvironmentRibbon";
import { IncidentStrip } from "./IncidentStrip";
import { Navigation } from "./Navigation";
import { NewVersionNotice } from "./NewVersionNotice";
import { PaletteButton } from "./PaletteButton";
import { Shortcuts } from "./Shortcuts";
import { TaskTray } from "./TaskTray";
import { UserMenu } from "./UserMenu";

/** Header, navigation and the room for the page; on phones the navigation folds away. */
export function AppFrame({ children }: { children: ReactNode }) {
  const { t } = useTranslation();
  const [isNavigationOpen, navigation] = useDisclosure(false);
  return (
    <AppShell
      header={{ height: 56 }}
      navbar={{ width: 232, breakpoint: "sm", collapsed: { mobile: !isNavigationOpen } }}
      padding={{ base: "md", sm: "lg" }}
    >
      <a className={classes.skip} href="#content">
        {t("frame.skip")}
      </a>
      <AppShell.Header className={classes.header}>
        <Group gap="sm" wrap="nowrap">
          <Burger
            opened={isNavigationOpen}
            onClick={navigation.toggle}
            hiddenFrom="sm"
            size="sm"
            aria-label={t("frame.navigation")}
            aria-expanded={isNavigationOpen}
          />
          <UnstyledButton
            component="a"
            href="/"
            className={classes.brand}
            aria-label={t("frame.product")}
          >
            <img src={mark} width={26} height={26} alt="" />
            <Text fw={650} visibleFrom="xs">
              {t("frame.product")}
            </Text>
          </UnstyledButton>
          <EnvironmentRibbon />
        </Group>
        <Group gap={4} wrap="nowrap">
          <PaletteButton />
          <TaskTray />
          <NotificationBell />
          <LanguageMenu />
          <ThemeMenu />
          <UserMenu />
        </Group>
      </AppShell.Header>
      <AppShell.Navbar aria-label={t("frame.navigation")}>
        <Navigation onChosen={navigation.close} />
      </AppShell.Navbar>
      <AppShell.Main id="content" tabIndex={-1} className={classes.main}>
        <NewVersionNotice />
        <IncidentStrip />
        <AnnouncementStrip />
        {children}
      </AppShell.Main>
      <Shortcuts />
    </AppShell>
  );
}
