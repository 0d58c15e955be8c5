import { AppShell, Burger, Group, Text, UnstyledButton } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconServer2 } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import classes from "./AppFrame.module.css";
import { LanguageMenu } from "./LanguageMenu";
import mark from "./mark.svg";
import { RouterNavLink } from "./RouterNavLink";
import { ThemeMenu } from "./ThemeMenu";

/** Header, navigation and the room for the page; on phones the navigation folds away. */
export function AppFrame({ children }: { children: ReactNode }) {
  const { t } = useTranslation();
  const [isNavigationOpen, navigation] = useDisclosure(false);
  return (
    <AppShell
      header={{ height: 56 }}
      navbar={{ width: 232, breakpoint: "sm", collapsed: { mobile: !isNavigationOpen } }}
      padding={{ base: "md", sm: "xl" }}
    >
      <a className={classes.skip} href="#content">
        {t("frame.skip")}
      </a>
      <AppShell.Header className={classes.header}>
        <Group gap="sm">
          <Burger
            opened={isNavigationOpen}
            onClick={navigation.toggle}
            hiddenFrom="sm"
            size="sm"
            aria-label={t("frame.navigation")}
            aria-expanded={isNavigationOpen}
          />
          <UnstyledButton component="a" href="/" className={classes.brand}>
            <img src={mark} width={26} height={26} alt="" />
            <Text fw={650}>{t("frame.product")}</Text>
          </UnstyledButton>
        </Group>
        <Group gap={4}>
          <LanguageMenu />
          <ThemeMenu />
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="sm" aria-label={t("frame.navigation")}>
        <RouterNavLink
          to="/console/system"
          label={t("system.title")}
          leftSection={<IconServer2 size={18} stroke={1.6} />}
          onClick={navigation.close}
          className={classes.entry}
        />
      </AppShell.Navbar>
      <AppShell.Main id="content" tabIndex={-1} className={classes.main}>
        {children}
      </AppShell.Main>
    </AppShell>
  );
}
