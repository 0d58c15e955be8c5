// Channels by tier: the first column is tried first. A card's move is stored at once, is announced, and
// can be taken back; nothing else moves.

import { Stack, Text, Title, VisuallyHidden } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { type Channel, providersQuery } from "./api";
import { ChannelCard } from "./ChannelCard";
import classes from "./channels.module.css";
import { neighbour, shareOf, type Target, type Tier, tiersOf } from "./tiers";
import { useBoardMoves } from "./useBoardMoves";
import { type CardDrag, useCardDrag } from "./useCardDrag";
import { useHealth } from "./useHealth";

export function ChannelBoard({ channels }: { channels: readonly Channel[] }) {
  const { t } = useTranslation();
  const tiers = tiersOf(channels);
  const { move, weigh, announcement } = useBoardMoves(tiers);
  const drag = useCardDrag((id, target) => {
    const channel = channels.find((each) => each.id === id);
    if (channel !== undefined) {
      void move(channel, target);
    }
  });
  return (
    <>
      <Text id="board-help" size="sm" c="dimmed">
        {t("channels.board.help")}
      </Text>
      <VisuallyHidden role="status" data-testid="board-announcement">
        {announcement}
      </VisuallyHidden>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard. */}
      <section className={classes.board} aria-label={t("channels.board.label")} tabIndex={0}>
        <NewTier target="above" drag={drag} />
        {tiers.map((tier, index) => (
          <TierColumn
            key={tier.priority}
            tier={tier}
            number={index + 1}
            tiers={tiers}
            drag={drag}
            onMove={(channel, target) => void move(channel, target)}
            onWeight={(channel, weight) => void weigh(channel, weight)}
          />
        ))}
        <NewTier target="below" drag={drag} />
      </section>
    </>
  );
}

function NewTier({ target, drag }: { target: "above" | "below"; drag: CardDrag }) {
  const { t } = useTranslation();
  return (
    <div className={classes.newTier} data-tier={target} data-over={drag.isOver(target)}>
      <Text size="sm" c="dimmed" ta="center">
        {target === "above" ? t("channels.board.newAbove") : t("channels.board.newBelow")}
      </Text>
    </div>
  );
}

interface TierColumnProps {
  tier: Tier<Channel>;
  number: number;
  tiers: readonly Tier<Channel>[];
  drag: CardDrag;
  onMove: (channel: Channel, target: Target) => void;
  onWeight: (channel: Channel, weight: number) => void;
}

function TierColumn({ tier, number, tiers, drag, onMove, onWeight }: TierColumnProps) {
  const { t } = useTranslation();
  const providers = useQuery(providersQuery);
  const health = useHealth();
  const labelOf = (type: string) => providers.data?.find(({ id }) => id === type)?.label ?? type;
  const towards = (channel: Channel, direction: "up" | "down") => {
    const target = channel.is_declared ? undefined : neighbour(channel, tiers, direction);
    return target === undefined ? undefined : () => onMove(channel, target);
  };
  return (
    <div className={classes.tier} data-tier={tier.priority} data-over={drag.isOver(tier.priority)}>
      <Stack gap="sm">
        <div>
          <Title order={2} size="h5">
            {t("channels.board.tier", { number })}
          </Title>
          <Text size="xs" c="dimmed">
            {t("channels.board.priority", { priority: tier.priority })}
            {" · "}
            {t("channels.count", { count: tier.channels.length })}
          </Text>
        </div>
        <ul className={classes.cards} aria-label={t("channels.board.tier", { number })}>
          {tier.channels.map((channel) => (
            <li key={channel.id}>
              <ChannelCard
                channel={channel}
                providerLabel={labelOf(channel.type)}
                tier={number}
                share={shareOf(channel, tier)}
                health={health}
                drag={drag}
                onUp={towards(channel, "up")}
                onDown={towards(channel, "down")}
                onWeight={(weight) => onWeight(channel, weight)}
              />
            </li>
          ))}
        </ul>
      </Stack>
    </div>
  );
}
