import { Button, Group, Modal, PasswordInput, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useSession } from "@/session/session";
import { FormFailure } from "@/ui/form/FormFailure";
import { useSubmit } from "@/ui/form/useSubmit";
import { SectionCard } from "@/ui/SectionCard";
import { leave } from "./api";

/** Deleting one's own account: the name and the password must be typed. */
export function LeaveCard() {
  const { t } = useTranslation();
  const [isAsking, setAsking] = useState(false);
  return (
    <SectionCard title={t("account.leave")} text={t("account.leaveText")}>
      <Group>
        <Button color="red" variant="light" onClick={() => setAsking(true)}>
          {t("account.leave")}
        </Button>
      </Group>
      <Modal
        opened={isAsking}
        onClose={() => setAsking(false)}
        title={t("account.leave")}
        closeButtonProps={{ "aria-label": t("ui.close") }}
      >
        <LeaveForm onClose={() => setAsking(false)} />
      </Modal>
    </SectionCard>
  );
}

function LeaveForm({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const { user } = useSession();
  const form = useForm({ initialValues: { name: "", password: "" } });
  const { isBusy, failure, submit } = useSubmit(
    form,
    ({ password }) => leave(password),
    // Nothing that was read in this session may stay.
    () => window.location.assign("/"),
  );
  const isRight = form.values.name.trim() === user.username;
  return (
    <form noValidate onSubmit={form.onSubmit((values) => void submit(values))}>
      <Stack gap="md">
        <Text size="sm">{t("account.leaveText")}</Text>
        <TextInput
          label={t("ui.confirm.type", { name: user.username })}
          autoComplete="off"
          data-autofocus
          styles={{ label: { overflowWrap: "anywhere" } }}
          {...form.getInputProps("name")}
        />
        <PasswordInput
          label={t("account.presentPassword")}
          autoComplete="current-password"
          visibilityToggleButtonProps={{ "aria-label": t("account.showPassword") }}
          {...form.getInputProps("password")}
        />
        <FormFailure failure={failure} />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            {t("ui.cancel")}
          </Button>
          <Button type="submit" color="red" disabled={!isRight} loading={isBusy}>
            {t("account.leave")}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
