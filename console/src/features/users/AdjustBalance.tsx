import { Button, Group, Modal, SegmentedControl, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { nanosOf, usdOf } from "@/lib/money";
import { quotaOfUsd, usdOfQuota } from "@/lib/quota";
import { DollarInput } from "@/ui/form/DollarInput";
import { FormFailure } from "@/ui/form/FormFailure";
import { useSubmit } from "@/ui/form/useSubmit";
import { Money } from "@/ui/Money";
import { toast } from "@/ui/toast";
import { adjustBalance, USERS, type User } from "./api";

export interface AdjustBalanceProps {
  user: User;
  isOpen: boolean;
  onClose: () => void;
}

/** Adds to or takes from a balance, with a reason; shows what it will be before it is done. */
export function AdjustBalance({ user, isOpen, onClose }: AdjustBalanceProps) {
  const { t } = useTranslation();
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      title={t("users.adjust")}
      closeButtonProps={{ "aria-label": t("ui.close") }}
    >
      <AdjustForm user={user} onClose={onClose} />
    </Modal>
  );
}

interface Values extends Record<string, unknown> {
  direction: string;
  value: string;
  reason: string;
}

/** The change in quota units, below zero where it takes away. */
function changeOf({ direction, value }: Values): number | undefined {
  const quota = quotaOfUsd(value);
  if (quota === undefined || quota <= 0) {
    return undefined;
  }
  return direction === "take" ? -quota : quota;
}

function AdjustForm({ user, onClose }: Omit<AdjustBalanceProps, "isOpen">) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const form = useForm<Values>({
    initialValues: { direction: "add", value: "", reason: "" },
    validate: {
      value: (_, values) => (changeOf(values) === undefined ? t("users.badAmount") : null),
      reason: (reason) => (reason.trim() === "" ? t("users.reasonMissing") : null),
    },
  });
  const { isBusy, failure, submit } = useSubmit(
    form,
    (values) => adjustBalance(user.id, changeOf(values) ?? 0, values.reason.trim()),
    () => {
      toast(t("users.adjusted", { name: user.username }));
      void client.invalidateQueries({ queryKey: [USERS] });
      onClose();
    },
  );
  const change = changeOf(form.values);
  const after =
    change === undefined ? undefined : usdOf(nanosOf(user.quota_usd) + nanosOf(usdOfQuota(change)));
  return (
    <form noValidate onSubmit={form.onSubmit((values) => void submit(values))}>
      <Stack gap="md">
        <SegmentedControl
          aria-label={t("users.direction")}
          data={[
            { value: "add", label: t("users.add") },
            { value: "take", label: t("users.take") },
          ]}
          {...form.getInputProps("direction")}
        />
        <DollarInput label={t("users.amount")} data-autofocus {...form.getInputProps("value")} />
        <TextInput
          label={t("users.reason")}
          description={t("users.reasonText")}
          {...form.getInputProps("reason")}
        />
        <Group gap="xl" aria-live="polite">
          <Figure name={t("users.before")} usd={user.quota_usd} />
          <Figure name={t("users.after")} usd={after} />
        </Group>
        <FormFailure failure={failure} />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            {t("ui.cancel")}
          </Button>
          <Button type="submit" loading={isBusy}>
            {t("users.adjust")}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function Figure({ name, usd }: { name: string; usd: string | undefined }) {
  return (
    <div>
      <Text size="sm" c="dimmed">
        {name}
      </Text>
      <Text fw={600} fz="lg">
        <Money usd={usd} />
      </Text>
    </div>
  );
}
