import { Stack, Title } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { useSession } from "@/session/session";
import { PageHead } from "@/ui/PageHead";
import { AdministratorPanels } from "./AdministratorPanels";
import { Checklist } from "./Checklist";
import { Tiles } from "./Tiles";
import { UserPanels } from "./UserPanels";

/** What matters now, by role. */
export function OverviewPage() {
  const { t } = useTranslation();
  const { isAdministrator } = useSession();
  return (
    <Stack gap="lg">
      <PageHead
        title={t("nav.overview")}
        description={t(isAdministrator ? "overview.textAll" : "overview.textOwn")}
      />
      <Checklist />
      <Tiles scope={isAdministrator ? "all" : "self"} />
      {isAdministrator && (
        <>
          <AdministratorPanels />
          <Title order={2} size="h4">
            {t("overview.own")}
          </Title>
        </>
      )}
      <UserPanels />
    </Stack>
  );
}
