import { Button, Group, Text } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useRefreshSession } from "@/session/session";
import { DataRegion } from "@/ui/DataRegion";
import { SectionCard } from "@/ui/SectionCard";
import { StatusBadge } from "@/ui/StatusBadge";
import { toast } from "@/ui/toast";
import { disableFactor, factorQuery, renewBackupCodes } from "./api";
import { BackupCodesModal } from "./BackupCodes";
import { CodeModal } from "./CodeModal";
import { FactorWizard } from "./FactorWizard";

const SKELETON_HEIGHT = 60;
/** From here on the page warns. */
const FEW_CODES = 2;

type Open = "wizard" | "disable" | "renew";

/** The authenticator app: whether it is on, setting it up, backup codes, switching it off. */
export function SecondFactor() {
  const { t } = useTranslation();
  const client = useQueryClient();
  const refresh = useRefreshSession();
  const factor = useQuery(factorQuery);
  const [open, setOpen] = useState<Open>();
  const [codes, setCodes] = useState<readonly string[]>();
  const close = () => setOpen(undefined);
  const changed = () => {
    close();
    void client.invalidateQueries({ queryKey: factorQuery.queryKey });
    void refresh();
  };
  const isOn = factor.data?.enabled === true;
  const left = factor.data?.backup_codes_remaining ?? 0;
  return (
    <SectionCard
      title={t("account.factor")}
      text={t("account.factorText")}
      aside={
        factor.data && (
          <StatusBadge
            tone={isOn ? "good" : "idle"}
            label={t(isOn ? "account.on" : "account.off")}
          />
        )
      }
    >
      <DataRegion query={factor} skeletonHeight={SKELETON_HEIGHT}>
        {({ enabled }) =>
          enabled ? (
            <Group gap="sm">
              <Text size="sm" {...(left <= FEW_CODES ? { fw: 600 } : {})}>
                {t("account.codesLeft", { count: left })}
              </Text>
              <Group gap="xs" ms="auto">
                <Button variant="default" size="xs" onClick={() => setOpen("renew")}>
                  {t("account.renewCodes")}
                </Button>
                <Button variant="default" color="red" size="xs" onClick={() => setOpen("disable")}>
                  {t("account.factorOff")}
                </Button>
              </Group>
            </Group>
          ) : (
            <Group>
              <Button onClick={() => setOpen("wizard")}>{t("account.factorOn")}</Button>
            </Group>
          )
        }
      </DataRegion>
      <FactorWizard
        isOpen={open === "wizard"}
        onClose={close}
        onEnabled={() => {
          changed();
          toast(t("account.factorIsOn"));
        }}
      />
      <CodeModal
        isOpen={open === "disable"}
        title={t("account.factorOff")}
        text={t("account.factorOffText")}
        action={t("account.factorOff")}
        isDangerous
        send={disableFactor}
        onClose={close}
        onDone={() => {
          changed();
          toast(t("account.factorIsOff"));
        }}
      />
      <CodeModal
        isOpen={open === "renew"}
        title={t("account.renewCodes")}
        text={t("account.renewCodesText")}
        action={t("account.renewCodes")}
        send={renewBackupCodes}
        onClose={close}
        onDone={(made) => {
          changed();
          setCodes(made);
        }}
      />
      <BackupCodesModal codes={codes} onSaved={() => setCodes(undefined)} />
    </SectionCard>
  );
}
