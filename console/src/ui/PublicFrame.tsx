import { Box, Container, Group, Paper, Text, UnstyledButton } from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { LanguageMenu } from "./LanguageMenu";
import mark from "./mark.svg";
import classes from "./PublicFrame.module.css";
import { ThemeMenu } from "./ThemeMenu";

export interface PublicFrameProps {
  /** `card`: one form in the middle; `wide`: room for a list. */
  layout: "card" | "wide";
  /** Beside the preferences, for example a link to sign in. */
  aside?: ReactNode;
  children: ReactNode;
}

/** What stands around the pages that need no session. */
export function PublicFrame({ layout, aside, children }: PublicFrameProps) {
  const { t } = useTranslation();
  return (
    <Box className={classes.page}>
      <header className={classes.header}>
        <UnstyledButton component="a" href="/" className={classes.brand}>
          <img src={mark} width={26} height={26} alt="" />
          <Text fw={650}>{t("frame.product")}</Text>
        </UnstyledButton>
        <Group gap={4} wrap="nowrap">
          {aside}
          <LanguageMenu />
          <ThemeMenu />
        </Group>
      </header>
      {layout === "card" ? (
        <Container component="main" size={460} w="100%" py={{ base: "md", sm: 56 }}>
          <Paper withBorder p={{ base: "md", sm: "xl" }} shadow="sm">
            {children}
          </Paper>
        </Container>
      ) : (
        <Container component="main" size="lg" w="100%" py={{ base: "md", sm: "xl" }}>
          {children}
        </Container>
      )}
    </Box>
  );
}
