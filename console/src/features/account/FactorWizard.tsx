import { Alert, Box, Button, Group, Modal, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { CopyField } from "@/ui/CopyButton";
import { DataRegion } from "@/ui/DataRegion";
import { FormFailure } from "@/ui/form/FormFailure";
import { useSubmit } from "@/ui/form/useSubmit";
import { enableFactor, type FactorSetUp, setUpFactor } from "./api";
import { BackupCodes } from "./BackupCodes";

const SKELETON_HEIGHT = 360;
const QR_SIZE = 200;

export interface FactorWizardProps {
  isOpen: boolean;
  onClose: () => void;
  onEnabled: () => void;
}

/** Two steps: scan and confirm with a first code; then keep the backup codes. */
export function FactorWizard({ isOpen, onClose, onEnabled }: FactorWizardProps) {
  const { t } = useTranslation();
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      title={t("account.factorOn")}
      size="lg"
      closeOnClickOutside={false}
      closeButtonProps={{ "aria-label": t("ui.close") }}
    >
      <Steps onEnabled={onEnabled} />
    </Modal>
  );
}

function Steps({ onEnabled }: { onEnabled: () => void }) {
  const { t } = useTranslation();
  const [isEnabled, setEnabled] = useState(false);
  // A secret lives in this dialog only: a later visit gets another one.
  const setUp = useQuery({
    queryKey: ["account", "factorSetUp"],
    queryFn: setUpFactor,
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <DataRegion query={setUp} skeletonHeight={SKELETON_HEIGHT}>
      {(made) =>
        isEnabled ? (
          <Stack gap="md">
            <Alert color="green" variant="light">
              {t("account.factorIsOn")}
            </Alert>
            <BackupCodes codes={made.backup_codes} onSaved={onEnabled} />
          </Stack>
        ) : (
          <Scan setUp={made} onEnabled={() => setEnabled(true)} />
        )
      }
    </DataRegion>
  );
}

function Scan({ setUp, onEnabled }: { setUp: FactorSetUp; onEnabled: () => void }) {
  const { t } = useTranslation();
  const form = useForm({
    initialValues: { code: "" },
    validate: { code: (code) => (code.trim() === "" ? t("account.codeMissing") : null) },
  });
  const { isBusy, failure, submit } = useSubmit(
    form,
    ({ code }) => enableFactor(code.trim()),
    onEnabled,
  );
  return (
    <form noValidate onSubmit={form.onSubmit((values) => void submit(values))}>
      <Stack gap="md">
        <Text size="sm">{t("account.scan")}</Text>
        {/* The picture needs its white ground in the dark theme too. */}
        <Box bg="white" p="xs" mx="auto" style={{ borderRadius: 8, lineHeight: 0 }}>
          <img
            src={`data:image/svg+xml;charset=utf-8,${encodeURIComponent(setUp.qr_svg)}`}
            width={QR_SIZE}
            height={QR_SIZE}
            alt={t("account.qr")}
          />
        </Box>
        <Stack gap={4}>
          <Text size="sm">{t("account.typeSecret")}</Text>
          <CopyField text={inFours(setUp.secret)} label={t("account.secret")} />
        </Stack>
        <TextInput
          label={t("account.firstCode")}
          autoComplete="one-time-code"
          inputMode="numeric"
          data-autofocus
          {...form.getInputProps("code")}
        />
        <FormFailure failure={failure} />
        <Group justify="flex-end">
          <Button type="submit" loading={isBusy}>
            {t("account.confirm")}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** Groups of four are easier to type; apps ignore the spaces. */
function inFours(secret: string): string {
  return secret.match(/.{1,4}/g)?.join(" ") ?? secret;
}
