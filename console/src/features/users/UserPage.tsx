import { Badge, Button, Group, Stack, Tabs, Text } from "@mantine/core";
import { IconCoin } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useSession } from "@/session/session";
import { BackButton } from "@/ui/BackButton";
import { DataRegion } from "@/ui/DataRegion";
import { PageHead } from "@/ui/PageHead";
import { useUrlState } from "@/ui/useUrlState";
import { AdjustBalance } from "./AdjustBalance";
import { type User, userQuery } from "./api";
import { mayManage, roleText } from "./roles";
import { SECTIONS, type UserSearch } from "./search";
import { UserAudit } from "./UserAudit";
import { UserDangers } from "./UserDangers";
import { UserFacts } from "./UserFacts";
import { UserForm } from "./UserForm";
import { UserKeys } from "./UserKeys";
import { UserLimits } from "./UserLimits";
import { UserOrders } from "./UserOrders";
import { UserSessions } from "./UserSessions";
import { UserState } from "./UserState";
import { UserUsage } from "./UserUsage";

const SKELETON_HEIGHT = 480;

const SECTION_TEXT = {
  profile: "users.section.profile",
  keys: "users.section.keys",
  usage: "users.section.usage",
  orders: "users.section.orders",
  sessions: "users.section.sessions",
  audit: "users.section.audit",
} as const;

/** One user with everything that hangs on the account. */
export function UserPage({ id }: { id: number }) {
  const { t } = useTranslation();
  const user = useQuery(userQuery(id));
  return (
    <Stack gap="lg" maw={1080}>
      <BackButton to="/console/users">{t("users.title")}</BackButton>
      {user.data === undefined && (
        <PageHead title={t("users.one", { id })} description={t("users.oneText")} />
      )}
      <DataRegion query={user} skeletonHeight={SKELETON_HEIGHT}>
        {(known) => <UserView user={known} />}
      </DataRegion>
    </Stack>
  );
}

function UserView({ user }: { user: User }) {
  const { t } = useTranslation();
  const { user: actor } = useSession();
  const [isAdjusting, setAdjusting] = useState(false);
  const canManage = mayManage(actor, user);
  return (
    <Stack gap="lg">
      <PageHead
        title={user.username}
        description={user.display_name === user.username ? t("users.oneText") : user.display_name}
        aside={
          <Group gap="xs">
            <UserState user={user} />
            <Badge variant="light">{t(roleText(user.role))}</Badge>
          </Group>
        }
        actions={
          <Button
            leftSection={<IconCoin size={17} />}
            variant="default"
            disabled={!canManage}
            onClick={() => setAdjusting(true)}
          >
            {t("users.adjust")}
          </Button>
        }
      />
      {!canManage && (
        <Text size="sm" c="dimmed">
          {t("users.notYours")}
        </Text>
      )}
      <UserFacts user={user} />
      <UserSections user={user} canManage={canManage} />
      <AdjustBalance user={user} isOpen={isAdjusting} onClose={() => setAdjusting(false)} />
    </Stack>
  );
}

function UserSections({ user, canManage }: { user: User; canManage: boolean }) {
  const { t } = useTranslation();
  const [{ section = "profile" }, setSearch] = useUrlState<UserSearch>();
  const choose = (value: string | null) => {
    const next = SECTIONS.find((each) => each === value);
    setSearch(
      {
        section: next === "profile" ? undefined : next,
        p: undefined,
        page_size: undefined,
        cursor: undefined,
        limit: undefined,
      },
      { push: true },
    );
  };
  return (
    <Tabs value={section} onChange={choose} keepMounted={false}>
      <Tabs.List aria-label={t("users.sections")}>
        {SECTIONS.map((each) => (
          <Tabs.Tab key={each} value={each}>
            {t(SECTION_TEXT[each])}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      <Tabs.Panel value="profile" pt="lg">
        <Stack gap="lg">
          <UserForm key={user.id} user={user} canManage={canManage} />
          <UserLimits key={`limits ${user.id}`} user={user} canManage={canManage} />
          <UserDangers user={user} canManage={canManage} />
        </Stack>
      </Tabs.Panel>
      <Tabs.Panel value="keys" pt="lg">
        <UserKeys userId={user.id} canManage={canManage} />
      </Tabs.Panel>
      <Tabs.Panel value="usage" pt="lg">
        <UserUsage userId={user.id} />
      </Tabs.Panel>
      <Tabs.Panel value="orders" pt="lg">
        <UserOrders userId={user.id} />
      </Tabs.Panel>
      <Tabs.Panel value="sessions" pt="lg">
        <UserSessions userId={user.id} canManage={canManage} />
      </Tabs.Panel>
      <Tabs.Panel value="audit" pt="lg">
        <UserAudit userId={user.id} />
      </Tabs.Panel>
    </Tabs>
  );
}
