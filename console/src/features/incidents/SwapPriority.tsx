import { Button, Group, Modal, Radio, Stack, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconArrowsUpDown } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useStateName } from "@/records/ChannelState";
import { DataRegion } from "@/ui/DataRegion";
import { type Channel, channelsQuery, type Incident, swapPriority } from "./api";
import { type Candidate, candidatesOf } from "./swap";
import { useIncidentAct } from "./useIncidentAct";

export interface SwapPriorityProps {
  channel: Channel;
  incident: Incident;
}

/** Lets another channel that serves the same models be tried in this one's place. */
export function SwapPriority({ channel, incident }: SwapPriorityProps) {
  const { t } = useTranslation();
  const [isOpen, dialog] = useDisclosure(false);
  return (
    <>
      <Button
        variant="default"
        size="xs"
        leftSection={<IconArrowsUpDown size={15} />}
        onClick={dialog.open}
      >
        {t("incidents.swap")}
      </Button>
      <Modal
        opened={isOpen}
        onClose={dialog.close}
        title={t("incidents.swap")}
        closeButtonProps={{ "aria-label": t("ui.close") }}
      >
        <Choice channel={channel} incident={incident} onDone={dialog.close} />
      </Modal>
    </>
  );
}

function Choice({ channel, incident, onDone }: SwapPriorityProps & { onDone: () => void }) {
  const { t } = useTranslation();
  const channels = useQuery(channelsQuery);
  return (
    <Stack gap="md">
      <Text size="sm">
        {t("incidents.swapText", { name: channel.name, priority: channel.priority })}
      </Text>
      <DataRegion
        query={channels}
        skeletonHeight={120}
        isEmpty={(all) => candidatesOf(channel, all).length === 0}
        emptyFirst={<Text size="sm">{t("incidents.swapNobody")}</Text>}
      >
        {(all) => (
          <Candidates
            channel={channel}
            candidates={candidatesOf(channel, all)}
            incidentId={incident.id}
            onDone={onDone}
          />
        )}
      </DataRegion>
    </Stack>
  );
}

interface CandidatesProps {
  channel: Channel;
  candidates: readonly Candidate[];
  incidentId: number;
  onDone: () => void;
}

function Candidates({ channel, candidates, incidentId, onDone }: CandidatesProps) {
  const { t } = useTranslation();
  const stateName = useStateName();
  const [chosen, setChosen] = useState(String(candidates[0]?.channel.id ?? ""));
  const swap = useIncidentAct((other: number) => swapPriority(incidentId, other), onDone);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        swap.mutate(Number(chosen));
      }}
    >
      <Stack gap="md">
        <Radio.Group label={t("incidents.swapWith")} value={chosen} onChange={setChosen}>
          <Stack gap="sm" mt="xs">
            {candidates.map(({ channel: other, shared }) => (
              <Radio
                key={other.id}
                value={String(other.id)}
                label={<bdi style={{ overflowWrap: "anywhere" }}>{other.name}</bdi>}
                description={t("incidents.swapFacts", {
                  state: stateName(other.state),
                  priority: other.priority,
                  shared,
                  count: channel.models.length,
                })}
              />
            ))}
          </Stack>
        </Radio.Group>
        <Group justify="flex-end">
          <Button type="submit" loading={swap.isPending}>
            {t("incidents.swap")}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
