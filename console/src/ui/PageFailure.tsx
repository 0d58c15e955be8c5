import { Button, Stack } from "@mantine/core";
import type { ErrorComponentProps } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { PageHead } from "./PageHead";

/** A page that could not be drawn, for example because its code could not be fetched. */
export function PageFailure({ reset }: ErrorComponentProps) {
  const { t } = useTranslation();
  return (
    <Stack gap="md" align="flex-start">
      <PageHead title={t("pageFailure.title")} description={t("pageFailure.text")} />
      <Button onClick={reset}>{t("action.retry")}</Button>
    </Stack>
  );
}
