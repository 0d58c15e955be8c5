import { ActionIcon, Menu } from "@mantine/core";
import {
  IconChartBar,
  IconCopy,
  IconDots,
  IconFileText,
  IconPlayerPause,
  IconPlayerPlay,
  IconRefresh,
} from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { type Key, PAUSED } from "./api";
import { usePause } from "./usePause";

export interface KeyMenuProps {
  of: Key;
  onRotate: (key: Key) => void;
}

/** What can be done with one key, in its row. Deleting is on its own page. */
export function KeyMenu({ of, onRotate }: KeyMenuProps) {
  const { t } = useTranslation();
  const pause = usePause();
  const isPaused = of.status === PAUSED;
  const isFixed = of.is_declared;
  return (
    <Menu position="bottom-end" withinPortal>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={t("keys.actions", { name: of.name })}>
          <IconDots size={18} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item
          leftSection={isPaused ? <IconPlayerPlay size={16} /> : <IconPlayerPause size={16} />}
          disabled={isFixed}
          title={isFixed ? t("keys.declared") : undefined}
          onClick={() => pause(of, !isPaused)}
        >
          {t(isPaused ? "keys.resume" : "keys.pause")}
        </Menu.Item>
        <Menu.Item
          leftSection={<IconRefresh size={16} />}
          disabled={isFixed}
          title={isFixed ? t("keys.declared") : undefined}
          onClick={() => onRotate(of)}
        >
          {t("keys.rotate")}
        </Menu.Item>
        <Menu.Item
          leftSection={<IconChartBar size={16} />}
          component={Link}
          to="/console/usage"
          search={{ token_id: of.id } as never}
        >
          {t("keys.usage")}
        </Menu.Item>
        <Menu.Item
          leftSection={<IconFileText size={16} />}
          component={Link}
          to="/console/logs"
          search={{ token_id: of.id } as never}
        >
          {t("keys.logs")}
        </Menu.Item>
        <Menu.Item
          leftSection={<IconCopy size={16} />}
          component={Link}
          to="/console/keys"
          search={{ new: true, copy: of.id } as never}
        >
          {t("keys.copySettings")}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
