import { Anchor, Stack } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { PageHead } from "@/ui/PageHead";

/** A page that the signed-in role does not open. */
export function ForbiddenPage() {
  const { t } = useTranslation();
  return (
    <Stack gap="md">
      <PageHead title={t("forbidden.title")} description={t("forbidden.text")} />
      <Anchor href="/console/overview">{t("forbidden.back")}</Anchor>
    </Stack>
  );
}
