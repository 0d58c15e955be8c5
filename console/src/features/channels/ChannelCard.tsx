// A channel on the board. The handle moves it: by pointer to any tier, by arrow keys to the next one.

import { ActionIcon, Anchor, Group, NumberInput, Paper, Stack, Text } from "@mantine/core";
import { IconGripVertical } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import type { KeyboardEvent } from "react";
import { useTranslation } from "react-i18next";
import { ChannelState } from "@/records/ChannelState";
import { stateReason } from "@/said/channel";
import type { Channel } from "./api";
import { ChannelMenu } from "./ChannelMenu";
import classes from "./channels.module.css";
import { HealthLine } from "./HealthLine";
import { KeysHealthy } from "./KeysHealthy";
import { ProviderMark } from "./ProviderMark";
import type { CardDrag } from "./useCardDrag";
import type { Health } from "./useHealth";

export interface ChannelCardProps {
  channel: Channel;
  providerLabel: string;
  /** Which tier, counted from 1. */
  tier: number;
  /** What weight gives it of its tier, from 0 to 1; absent where it takes no calls. */
  share: number | undefined;
  health: Health;
  drag: CardDrag;
  onUp: (() => void) | undefined;
  onDown: (() => void) | undefined;
  onWeight: (weight: number) => void;
}

export function ChannelCard(props: ChannelCardProps) {
  const { channel, providerLabel, health, drag, onUp, onDown } = props;
  const { t } = useTranslation();
  const reason = stateReason(t, channel);
  const onKeyDown = (event: KeyboardEvent) => {
    const isUp = event.key === "ArrowLeft" || event.key === "ArrowUp";
    const isDown = event.key === "ArrowRight" || event.key === "ArrowDown";
    if (isUp || isDown) {
      event.preventDefault();
      (isUp ? onUp : onDown)?.();
    }
  };
  const offset = drag.offsetOf(channel.id);
  return (
    <Paper
      withBorder
      p="sm"
      className={classes.card}
      data-dragged={offset !== undefined}
      style={
        offset === undefined ? undefined : { transform: `translate(${offset.x}px, ${offset.y}px)` }
      }
    >
      <Stack gap="xs">
        <Group gap="xs" wrap="nowrap" align="flex-start">
          <ActionIcon
            id={`move-channel-${channel.id}`}
            variant="subtle"
            color="gray"
            className={classes.handle}
            aria-label={t("channels.board.move", { name: channel.name })}
            aria-describedby="board-help"
            disabled={channel.is_declared}
            onKeyDown={onKeyDown}
            {...drag.handle(channel.id)}
          >
            <IconGripVertical size={18} />
          </ActionIcon>
          <ProviderMark label={providerLabel} size={28} />
          <div style={{ minWidth: 0, flex: 1 }}>
            <Anchor
              component={Link}
              to={`/console/channels/${channel.id}`}
              underline="hover"
              fw={600}
              size="sm"
              lineClamp={2}
              style={{ overflowWrap: "anywhere" }}
              c="var(--mantine-color-text)"
            >
              <bdi>{channel.name}</bdi>
            </Anchor>
            <Text size="xs" c="dimmed">
              {providerLabel}
            </Text>
          </div>
          <ChannelMenu channel={channel} onUp={onUp} onDown={onDown} />
        </Group>
        <Group gap="xs">
          <ChannelState channel={channel} />
          {reason !== null && (
            <Text size="xs" c="dimmed" lineClamp={2} style={{ overflowWrap: "anywhere" }}>
              {reason}
            </Text>
          )}
        </Group>
        <HealthLine channel={channel} health={health} />
        <Footer {...props} />
      </Stack>
    </Paper>
  );
}

function Footer({ channel, tier, share, onWeight }: ChannelCardProps) {
  const { t, i18n } = useTranslation();
  const percent = new Intl.NumberFormat(i18n.language, {
    style: "percent",
    maximumFractionDigits: 0,
  });
  return (
    <Stack gap={6}>
      <Text size="xs" c="dimmed">
        {t("channels.modelCount", { count: channel.models.length })}
        {" · "}
        <KeysHealthy channel={channel} />
      </Text>
      <Group gap="xs" wrap="nowrap">
        <Text size="xs" c="dimmed" aria-hidden>
          {t("channels.field.weight")}
        </Text>
        <NumberInput
          key={channel.weight}
          size="xs"
          w={72}
          min={0}
          allowDecimal={false}
          aria-label={t("channels.board.weight", { name: channel.name })}
          defaultValue={channel.weight}
          disabled={channel.is_declared}
          onBlur={(event) => {
            const weight = Number(event.currentTarget.value);
            if (event.currentTarget.value !== "" && weight !== channel.weight) {
              onWeight(weight);
            }
          }}
          onKeyDown={(event) => {
            if (event.key === "Enter") {
              event.currentTarget.blur();
            }
          }}
        />
        <Text size="xs" c="dimmed" style={{ whiteSpace: "nowrap" }}>
          {share === undefined
            ? t("channels.board.noShare")
            : t("channels.board.share", { share: percent.format(share), tier })}
        </Text>
      </Group>
    </Stack>
  );
}
