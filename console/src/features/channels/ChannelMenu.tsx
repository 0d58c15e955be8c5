import { ActionIcon, Menu } from "@mantine/core";
import {
  IconArrowDown,
  IconArrowUp,
  IconDots,
  IconPlayerPause,
  IconPlayerPlay,
  IconPower,
} from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import type { Channel } from "./api";
import { useStateChange } from "./useStateChange";

export interface ChannelMenuProps {
  channel: Channel;
  /** Moves to the tier above or below; absent where there is none. */
  onUp?: (() => void) | undefined;
  onDown?: (() => void) | undefined;
}

/** What can be done to a channel from a list. */
export function ChannelMenu({ channel, onUp, onDown }: ChannelMenuProps) {
  const { t } = useTranslation();
  const change = useStateChange();
  return (
    <Menu position="bottom-end" withinPortal>
      <Menu.Target>
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={t("channels.actionsOf", { name: channel.name })}
        >
          <IconDots size={18} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item
          leftSection={<IconPlayerPlay size={16} />}
          disabled={channel.state === "on"}
          onClick={() => void change(channel, "on")}
        >
          {t("channels.action.on")}
        </Menu.Item>
        <Menu.Item
          leftSection={<IconPlayerPause size={16} />}
          disabled={channel.state === "draining"}
          onClick={() => void change(channel, "draining")}
        >
          {t("channels.action.drain")}
        </Menu.Item>
        <Menu.Item
          leftSection={<IconPower size={16} />}
          disabled={channel.state === "off"}
          onClick={() => void change(channel, "off")}
        >
          {t("channels.action.off")}
        </Menu.Item>
        {onUp !== undefined && (
          <Menu.Item leftSection={<IconArrowUp size={16} />} onClick={onUp}>
            {t("channels.action.up")}
          </Menu.Item>
        )}
        {onDown !== undefined && (
          <Menu.Item leftSection={<IconArrowDown size={16} />} onClick={onDown}>
            {t("channels.action.down")}
          </Menu.Item>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}
