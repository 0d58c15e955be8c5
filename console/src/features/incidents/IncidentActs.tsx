import { Button, Group, Modal, Stack, Text, Textarea } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import {
  IconBroadcast,
  IconCheck,
  IconDownload,
  IconEye,
  IconFileText,
  IconGitFork,
} from "@tabler/icons-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { downloadText } from "@/lib/download";
import { incidentWords } from "@/said/incident";
import { RouterButton } from "@/ui/RouterButton";
import { acknowledge, type IncidentDetail, resolve } from "./api";
import { mayHelp, RaiseAttempts } from "./RaiseAttempts";
import { useIncidentAct } from "./useIncidentAct";

/** What can be done about the incident itself, and the ways to the calls and the routing behind it. */
export function IncidentActs({ detail }: { detail: IncidentDetail }) {
  const { t, i18n } = useTranslation();
  const { incident, affected } = detail;
  const { title } = incidentWords(t, i18n.language, incident);
  const isOpen = incident.state === "open";
  const take = useIncidentAct(() => acknowledge(incident.id));
  const [isResolving, resolving] = useDisclosure(false);
  const save = () => {
    const text = JSON.stringify(detail, null, 2);
    downloadText(`incident-${incident.id}.json`, text, "application/json");
  };
  return (
    <Group gap="xs">
      {isOpen && (
        <Button leftSection={<IconCheck size={16} />} onClick={resolving.open}>
          {t("incidents.resolve")}
        </Button>
      )}
      {isOpen && !incident.acknowledged_at && (
        <Button
          variant="default"
          leftSection={<IconEye size={16} />}
          loading={take.isPending}
          onClick={() => take.mutate(undefined)}
        >
          {t("incidents.acknowledge")}
        </Button>
      )}
      <RouterButton
        to="/console/logs"
        search={{
          from: affected.from,
          to: affected.to,
          ...(typeof incident.channel_id === "number" ? { channel_id: incident.channel_id } : {}),
          ...(incident.model ? { model: incident.model } : {}),
        }}
        variant="default"
        leftSection={<IconFileText size={16} />}
      >
        {t("incidents.toLogs")}
      </RouterButton>
      {incident.model && (
        <RouterButton
          to="/console/routing"
          search={{ model: incident.model }}
          variant="default"
          leftSection={<IconGitFork size={16} />}
        >
          {t("incidents.toRouting")}
        </RouterButton>
      )}
      {isOpen && mayHelp(incident.rule) && <RaiseAttempts incident={incident} />}
      <RouterButton
        to="/console/announcements"
        search={{ open: "new", title, level: "incident" }}
        variant="default"
        leftSection={<IconBroadcast size={16} />}
      >
        {t("incidents.tellUsers")}
      </RouterButton>
      <Button variant="default" leftSection={<IconDownload size={16} />} onClick={save}>
        {t("incidents.export")}
      </Button>
      <Modal
        opened={isResolving}
        onClose={resolving.close}
        title={t("incidents.resolve")}
        closeButtonProps={{ "aria-label": t("ui.close") }}
      >
        <ResolveForm incidentId={incident.id} onDone={resolving.close} />
      </Modal>
    </Group>
  );
}

function ResolveForm({ incidentId, onDone }: { incidentId: number; onDone: () => void }) {
  const { t } = useTranslation();
  const [text, setText] = useState("");
  const end = useIncidentAct((words: string) => resolve(incidentId, words), onDone);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        end.mutate(text.trim());
      }}
    >
      <Stack gap="md">
        <Text size="sm">{t("incidents.resolveText")}</Text>
        <Textarea
          label={t("incidents.summary")}
          autosize
          minRows={3}
          maxLength={4000}
          data-autofocus
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        <Group justify="flex-end">
          <Button type="submit" loading={end.isPending}>
            {t("incidents.resolve")}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
