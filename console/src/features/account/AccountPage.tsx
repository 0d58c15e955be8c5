import { Stack, Tabs } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { PageHead } from "@/ui/PageHead";
import { useUrlState } from "@/ui/useUrlState";
import { AccessTokens } from "./AccessTokens";
import { Identities } from "./Identities";
import { LeaveCard } from "./LeaveCard";
import { LowBalance } from "./LowBalance";
import { Passkeys } from "./Passkeys";
import { PasswordForm } from "./PasswordForm";
import { Preferences } from "./Preferences";
import { ProfileForm } from "./ProfileForm";
import { SecondFactor } from "./SecondFactor";
import { Sessions } from "./Sessions";
import { type AccountSearch, SECTIONS } from "./search";

const SECTION_TEXT = {
  profile: "account.profile",
  security: "account.security",
  sessions: "account.sessions",
  tokens: "account.tokens",
  preferences: "account.preferences",
} as const;

/** Everything about oneself, in sections that the address names. */
export function AccountPage() {
  const { t } = useTranslation();
  const [{ identity, section = identity === undefined ? "profile" : "security" }, setSearch] =
    useUrlState<AccountSearch>();
  const choose = (value: string | null) => {
    const next = SECTIONS.find((each) => each === value);
    setSearch(
      { section: next === "profile" ? undefined : next, identity: undefined },
      { push: true },
    );
  };
  return (
    <Stack gap="lg" maw={860}>
      <PageHead title={t("account.title")} description={t("account.text")} />
      <Tabs value={section} onChange={choose} keepMounted={false}>
        <Tabs.List aria-label={t("account.title")}>
          {SECTIONS.map((each) => (
            <Tabs.Tab key={each} value={each}>
              {t(SECTION_TEXT[each])}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value="profile" pt="lg">
          <Stack gap="lg">
            <ProfileForm />
            <LeaveCard />
          </Stack>
        </Tabs.Panel>
        <Tabs.Panel value="security" pt="lg">
          <Stack gap="lg">
            <PasswordForm />
            <SecondFactor />
            <Passkeys />
            <Identities />
          </Stack>
        </Tabs.Panel>
        <Tabs.Panel value="sessions" pt="lg">
          <Sessions />
        </Tabs.Panel>
        <Tabs.Panel value="tokens" pt="lg">
          <AccessTokens />
        </Tabs.Panel>
        <Tabs.Panel value="preferences" pt="lg">
          <Stack gap="lg">
            <Preferences />
            <LowBalance />
          </Stack>
        </Tabs.Panel>
      </Tabs>
    </Stack>
  );
}
