import { Button, Group, Stack } from "@mantine/core";
import {
  IconChartBar,
  IconFileText,
  IconPlayerPause,
  IconPlayerPlay,
  IconRefresh,
  IconTrash,
} from "@tabler/icons-react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { BackButton } from "@/ui/BackButton";
import { ConfirmByName } from "@/ui/ConfirmByName";
import { DataRegion } from "@/ui/DataRegion";
import { PageHead } from "@/ui/PageHead";
import { failureToast, toast } from "@/ui/toast";
import { deleteKey, forgetKeys, type Key, keyQuery, PAUSED } from "./api";
import { KeyFacts } from "./KeyFacts";
import { KeySettings } from "./KeySettings";
import { KeyUsage } from "./KeyUsage";
import { KeyBadge } from "./keyColumns";
import { RotateDialog } from "./RotateDialog";
import { usePause } from "./usePause";

/** One key: what it used, its settings, and the end of it. */
export function KeyPage({ id }: { id: number }) {
  const { t } = useTranslation();
  const key = useQuery(keyQuery(id));
  return (
    <Stack gap="lg" maw={960}>
      <BackButton to="/console/keys">{t("keys.title")}</BackButton>
      <PageHead
        title={key.data?.name ?? t("keys.secret")}
        description={t("keys.oneText")}
        aside={key.data !== undefined && <KeyBadge of={key.data} />}
      />
      <DataRegion query={key} skeletonHeight={420}>
        {(data) => (
          <Stack gap="lg">
            <Actions of={data} />
            <KeyFacts of={data} />
            <KeyUsage id={id} />
            <KeySettings key={data.id} of={data} />
          </Stack>
        )}
      </DataRegion>
    </Stack>
  );
}

function Actions({ of }: { of: Key }) {
  const { t } = useTranslation();
  const pause = usePause();
  const [isRotating, setRotating] = useState(false);
  const isPaused = of.status === PAUSED;
  const fixed = {
    disabled: of.is_declared,
    title: of.is_declared ? t("keys.declared") : undefined,
  };
  return (
    <Group gap="xs">
      <Button
        variant="default"
        size="sm"
        leftSection={isPaused ? <IconPlayerPlay size={16} /> : <IconPlayerPause size={16} />}
        {...fixed}
        onClick={() => pause(of, !isPaused)}
      >
        {t(isPaused ? "keys.resume" : "keys.pause")}
      </Button>
      <Button
        variant="default"
        size="sm"
        leftSection={<IconRefresh size={16} />}
        {...fixed}
        onClick={() => setRotating(true)}
      >
        {t("keys.rotate")}
      </Button>
      <Button
        variant="default"
        size="sm"
        leftSection={<IconChartBar size={16} />}
        component={Link}
        to="/console/usage"
        search={{ token_id: of.id } as never}
      >
        {t("keys.usage")}
      </Button>
      <Button
        variant="default"
        size="sm"
        leftSection={<IconFileText size={16} />}
        component={Link}
        to="/console/logs"
        search={{ token_id: of.id } as never}
      >
        {t("keys.logs")}
      </Button>
      <Deletion of={of} />
      <RotateDialog of={isRotating ? of : undefined} onClose={() => setRotating(false)} />
    </Group>
  );
}

function Deletion({ of }: { of: Key }) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const navigate = useNavigate();
  const [isOpen, setOpen] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const remove = async () => {
    setBusy(true);
    try {
      await deleteKey(of.id);
      toast(t("keys.deleted", { name: of.name }));
      await navigate({ to: "/console/keys" });
      client.removeQueries({ queryKey: keyQuery(of.id).queryKey });
      await forgetKeys(client);
    } catch (error) {
      failureToast(error);
      setBusy(false);
    }
  };
  return (
    <>
      <Button
        variant="light"
        color="red"
        size="sm"
        leftSection={<IconTrash size={16} />}
        disabled={of.is_declared}
        title={of.is_declared ? t("keys.declared") : undefined}
        onClick={() => setOpen(true)}
      >
        {t("keys.delete")}
      </Button>
      <ConfirmByName
        isOpen={isOpen}
        title={t("keys.deleteOne")}
        name={of.name}
        action={t("keys.delete")}
        isBusy={isBusy}
        onConfirm={() => void remove()}
        onClose={() => setOpen(false)}
      >
        {t("keys.deleteText")}
      </ConfirmByName>
    </>
  );
}
