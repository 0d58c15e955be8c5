import { ActionIcon, Anchor, Group, Kbd, Stack, Text, Tooltip } from "@mantine/core";
import { useHotkeys } from "@mantine/hooks";
import { IconChevronDown, IconChevronUp } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { DataRegion } from "@/ui/DataRegion";
import { DetailDrawer } from "@/ui/DetailDrawer";
import { callQuery } from "./api";
import { CallDetail } from "./CallDetail";

export interface LogDrawerProps {
  requestId: string | undefined;
  /** Ids of the rows beside it, for the way to its neighbours. */
  ids: readonly string[];
  onOpen: (requestId: string | undefined) => void;
}

/** A call beside the list; J and K go to the next and the one before. */
export function LogDrawer({ requestId, ids, onOpen }: LogDrawerProps) {
  const { t } = useTranslation();
  const place = requestId === undefined ? -1 : ids.indexOf(requestId);
  const next = place === -1 ? undefined : ids[place + 1];
  const previous = place > 0 ? ids[place - 1] : undefined;
  const go = (id: string | undefined) => () => {
    if (requestId !== undefined && id !== undefined) {
      onOpen(id);
    }
  };
  useHotkeys([
    ["j", go(next)],
    ["k", go(previous)],
  ]);
  return (
    <DetailDrawer
      isOpen={requestId !== undefined}
      title={t("logs.one")}
      size="xl"
      onClose={() => onOpen(undefined)}
    >
      {requestId !== undefined && (
        <Stack gap="md">
          <Group gap="xs">
            <Neighbour label={t("logs.next")} letter="J" isDown onGo={go(next)} id={next} />
            <Neighbour label={t("logs.previous")} letter="K" onGo={go(previous)} id={previous} />
            <Anchor
              component={Link}
              to="/console/logs/$requestId"
              params={{ requestId } as never}
              size="sm"
              ms="auto"
            >
              {t("logs.fullPage")}
            </Anchor>
          </Group>
          <Detail requestId={requestId} />
        </Stack>
      )}
    </DetailDrawer>
  );
}

function Detail({ requestId }: { requestId: string }) {
  const call = useQuery(callQuery(requestId));
  return (
    <DataRegion query={call} skeletonHeight={480}>
      {(data) => <CallDetail call={data} />}
    </DataRegion>
  );
}

interface NeighbourProps {
  label: string;
  letter: string;
  isDown?: boolean;
  id: string | undefined;
  onGo: () => void;
}

function Neighbour({ label, letter, isDown = false, id, onGo }: NeighbourProps) {
  const { t } = useTranslation();
  const Icon = isDown ? IconChevronDown : IconChevronUp;
  return (
    <Group gap={4}>
      <Tooltip label={id === undefined ? t("logs.noNeighbour") : label}>
        <ActionIcon
          variant="default"
          aria-label={label}
          data-disabled={id === undefined}
          aria-disabled={id === undefined}
          onClick={onGo}
        >
          <Icon size={16} />
        </ActionIcon>
      </Tooltip>
      <Text size="xs" c="dimmed" visibleFrom="xs">
        <Kbd size="xs">{letter}</Kbd>
      </Text>
    </Group>
  );
}
