import { Anchor, Stack, Text } from "@mantine/core";
import { useLocation } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { PageHead } from "./PageHead";

/** An address that no page answers to: says which, and leads back. */
export function NotFound() {
  const { t } = useTranslation();
  const { pathname } = useLocation();
  return (
    <Stack gap="md">
      <PageHead title={t("notFound.title")} description={t("notFound.text")} />
      <Text ff="monospace" style={{ overflowWrap: "anywhere" }}>
        {pathname}
      </Text>
      <Anchor href="/">{t("notFound.home")}</Anchor>
    </Stack>
  );
}
