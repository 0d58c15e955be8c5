import { ActionIcon, Menu, Text } from "@mantine/core";
import { IconLogout, IconUser, IconUserCircle, IconWallet } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { signOut, useSession } from "@/session/session";
import { Money } from "@/ui/Money";
import { failureToast } from "@/ui/toast";

/** Who is signed in, the balance, and the way out. */
export function UserMenu() {
  const { t } = useTranslation();
  const { user } = useSession();
  const client = useQueryClient();
  const navigate = useNavigate();
  const leave = async () => {
    try {
      await signOut(client);
      await navigate({ to: "/login", replace: true });
    } catch (error) {
      failureToast(error);
    }
  };
  const name = user.display_name === "" ? user.username : user.display_name;
  return (
    <Menu position="bottom-end" width={240} withinPortal={false}>
      <Menu.Target>
        <ActionIcon
          variant="subtle"
          color="gray"
          size="lg"
          aria-label={t("frame.account", { name })}
        >
          <IconUserCircle size={22} stroke={1.6} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          <Text component="span" size="sm" fw={600} c="var(--mantine-color-text)" truncate="end">
            {name}
          </Text>
        </Menu.Label>
        <Menu.Item
          component={Link}
          to="/console/wallet"
          leftSection={<IconWallet size={16} />}
          rightSection={<Money usd={user.quota_usd} size="sm" />}
        >
          {t("frame.balance")}
        </Menu.Item>
        <Menu.Item component={Link} to="/console/account" leftSection={<IconUser size={16} />}>
          {t("nav.account")}
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item leftSection={<IconLogout size={16} />} onClick={() => void leave()}>
          {t("frame.signOut")}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
