import { ActionIcon, Group, Menu, Tooltip } from "@mantine/core";
import {
  IconCode,
  IconDots,
  IconGitBranch,
  IconPencil,
  IconRefresh,
  IconTrash,
} from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { CopyButton } from "@/ui/CopyButton";
import { type Turn, textOf } from "../model/conversation";
import classes from "./Message.module.css";

/** What can be done with a message; what is absent is not offered. */
export interface MessageDeeds {
  onEdit?: (() => void) | undefined;
  /** Asks again: the reply is replaced, or the message answered anew. */
  onAgain?: (() => void) | undefined;
  onBranch?: (() => void) | undefined;
  onRemove?: (() => void) | undefined;
  onRaw?: (() => void) | undefined;
  /** Models to ask again with. */
  otherModels?: readonly string[];
  onAgainWith?: ((model: string) => void) | undefined;
}

export function MessageActions({ turn, deeds }: { turn: Turn; deeds: MessageDeeds }) {
  const { t } = useTranslation();
  const { onEdit, onAgain, onBranch, onRemove, onRaw, onAgainWith, otherModels = [] } = deeds;
  const again =
    turn.role === "user" ? t("playground.message.resend") : t("playground.message.regenerate");
  return (
    <Group gap={2} mt={4} className={classes.actions}>
      <CopyButton text={textOf(turn)} label={t("playground.message.text")} />
      {onAgain !== undefined && (
        <Action label={again} icon={<IconRefresh size={16} />} onClick={onAgain} />
      )}
      {onEdit !== undefined && (
        <Action
          label={t("playground.message.edit")}
          icon={<IconPencil size={16} />}
          onClick={onEdit}
        />
      )}
      <Menu position="bottom-start">
        <Menu.Target>
          <ActionIcon variant="subtle" color="gray" aria-label={t("playground.message.more")}>
            <IconDots size={16} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown mah={360} style={{ overflowY: "auto" }}>
          {onBranch !== undefined && (
            <Menu.Item leftSection={<IconGitBranch size={15} />} onClick={onBranch}>
              {t("playground.message.branch")}
            </Menu.Item>
          )}
          {onRaw !== undefined && (
            <Menu.Item leftSection={<IconCode size={15} />} onClick={onRaw}>
              {t("playground.message.raw")}
            </Menu.Item>
          )}
          {onRemove !== undefined && (
            <Menu.Item leftSection={<IconTrash size={15} />} onClick={onRemove}>
              {t("playground.message.delete")}
            </Menu.Item>
          )}
          {onAgainWith !== undefined &&
            otherModels.map((model) => (
              <Menu.Item
                key={model}
                leftSection={<IconRefresh size={15} />}
                onClick={() => onAgainWith(model)}
              >
                {t("playground.message.regenerateWith", { model })}
              </Menu.Item>
            ))}
        </Menu.Dropdown>
      </Menu>
    </Group>
  );
}

function Action({ label, icon, onClick }: { label: string; icon: ReactNode; onClick: () => void }) {
  return (
    <Tooltip label={label}>
      <ActionIcon variant="subtle" color="gray" aria-label={label} onClick={onClick}>
        {icon}
      </ActionIcon>
    </Tooltip>
  );
}
