import { Button, Group, Modal, NumberInput, Stack, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconRepeat } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useSession } from "@/session/session";
import { DataRegion } from "@/ui/DataRegion";
import { attemptsQuery, type Incident, raiseAttempts } from "./api";
import { useIncidentAct } from "./useIncidentAct";

/** As many as the gateway lets one call try. */
const MOST = 20;
const RULES: readonly string[] = ["channel_down", "key_refused", "error_rate", "model_error_rate"];

/** Whether more tries may save calls: somebody else may answer. */
export function mayHelp(rule: string): boolean {
  return RULES.includes(rule);
}

/** Lets calls go on to more upstreams before they fail. */
export function RaiseAttempts({ incident }: { incident: Incident }) {
  const { t } = useTranslation();
  const [isOpen, dialog] = useDisclosure(false);
  return (
    <>
      <Button variant="default" leftSection={<IconRepeat size={16} />} onClick={dialog.open}>
        {t("incidents.attempts")}
      </Button>
      <Modal
        opened={isOpen}
        onClose={dialog.close}
        title={t("incidents.attempts")}
        closeButtonProps={{ "aria-label": t("ui.close") }}
      >
        <Setting incident={incident} onDone={dialog.close} />
      </Modal>
    </>
  );
}

function Setting({ incident, onDone }: { incident: Incident; onDone: () => void }) {
  const { t } = useTranslation();
  const { isRoot } = useSession();
  const setting = useQuery(attemptsQuery);
  return (
    <Stack gap="md">
      <Text size="sm">{t("incidents.attemptsText")}</Text>
      <DataRegion query={setting} skeletonHeight={90}>
        {(found) => {
          const now = Number(found?.value ?? MOST);
          const reason =
            whyNot(t("incidents.attemptsRoot"), isRoot) ??
            found?.locked_because ??
            whyNot(t("incidents.attemptsMost"), now < MOST);
          return (
            <Form incidentId={incident.id} now={now} reason={reason ?? undefined} onDone={onDone} />
          );
        }}
      </DataRegion>
    </Stack>
  );
}

function whyNot(reason: string, isFine: boolean): string | undefined {
  return isFine ? undefined : reason;
}

interface FormProps {
  incidentId: number;
  now: number;
  /** Why it cannot be raised here. */
  reason: string | undefined;
  onDone: () => void;
}

function Form({ incidentId, now, reason, onDone }: FormProps) {
  const { t } = useTranslation();
  const [attempts, setAttempts] = useState<string | number>(Math.min(now + 2, MOST));
  const raise = useIncidentAct((count: number) => raiseAttempts(incidentId, count), onDone);
  const isMore = typeof attempts === "number" && attempts > now && attempts <= MOST;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        raise.mutate(Number(attempts));
      }}
    >
      <Stack gap="md">
        <NumberInput
          label={t("incidents.attemptsLabel")}
          description={t("incidents.attemptsNow", { now, most: MOST })}
          min={1}
          max={MOST}
          allowDecimal={false}
          value={attempts}
          onChange={setAttempts}
          disabled={reason !== undefined}
        />
        {reason !== undefined && <Text size="sm">{reason}</Text>}
        <Group justify="flex-end">
          <Button
            type="submit"
            loading={raise.isPending}
            disabled={reason !== undefined || !isMore}
          >
            {t("incidents.attempts")}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
