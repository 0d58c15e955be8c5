import { Button, Group, PasswordInput, Select, Stack, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { quotaOfUsd } from "@/lib/quota";
import { useSession } from "@/session/session";
import { DollarInput } from "@/ui/form/DollarInput";
import { FormFailure } from "@/ui/form/FormFailure";
import { useSubmit } from "@/ui/form/useSubmit";
import { toast } from "@/ui/toast";
import { createUser, groupNamesQuery, type NewUser, USERS } from "./api";
import { rolesToGive, roleText } from "./roles";

const NOTHING = {
  username: "",
  password: "",
  display_name: "",
  email: "",
  role: "1",
  group: "default",
  quota: "",
  reason: "",
};

function requestOf(values: typeof NOTHING): NewUser {
  const quota = values.quota.trim() === "" ? null : (quotaOfUsd(values.quota) ?? null);
  return {
    username: values.username.trim(),
    password: values.password,
    display_name: values.display_name.trim() || null,
    email: values.email.trim() || null,
    role: Number(values.role),
    group: values.group,
    quota,
    reason: quota === null ? null : values.reason.trim() || null,
  };
}

/** Makes an account, with a starting balance where one is given. */
export function NewUserForm({ onDone }: { onDone: () => void }) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const navigate = useNavigate();
  const { user: actor } = useSession();
  const { data: groups = ["default"] } = useQuery(groupNamesQuery);
  const form = useForm({
    initialValues: NOTHING,
    validate: {
      username: (name) => (name.trim() === "" ? t("users.nameMissing") : null),
      password: (password) => (password === "" ? t("users.passwordMissing") : null),
      quota: (usd) =>
        usd.trim() === "" || (quotaOfUsd(usd) ?? -1) >= 0 ? null : t("users.badAmount"),
    },
  });
  const { isBusy, failure, submit } = useSubmit(
    form,
    (values) => createUser(requestOf(values)),
    (user) => {
      void client.invalidateQueries({ queryKey: [USERS] });
      toast(t("users.made", { name: user.username }));
      onDone();
      void navigate({ to: "/console/users/$id", params: { id: String(user.id) } });
    },
  );
  return (
    <form noValidate onSubmit={form.onSubmit((values) => void submit(values))}>
      <Stack gap="md">
        <TextInput
          label={t("users.username")}
          autoComplete="off"
          data-autofocus
          {...form.getInputProps("username")}
        />
        <PasswordInput
          label={t("users.password")}
          autoComplete="new-password"
          visibilityToggleButtonProps={{ "aria-label": t("users.showPassword") }}
          {...form.getInputProps("password")}
        />
        <TextInput
          label={t("users.displayName")}
          autoComplete="off"
          {...form.getInputProps("display_name")}
        />
        <TextInput
          label={t("users.email")}
          type="email"
          autoComplete="off"
          {...form.getInputProps("email")}
        />
        <Group grow align="flex-start">
          <Select
            label={t("users.column.role")}
            allowDeselect={false}
            data={rolesToGive(actor).map((role) => ({
              value: String(role),
              label: t(roleText(role)),
            }))}
            {...form.getInputProps("role")}
          />
          <Select
            label={t("users.column.group")}
            allowDeselect={false}
            searchable
            data={groups}
            {...form.getInputProps("group")}
          />
        </Group>
        <DollarInput
          label={t("users.startingBalance")}
          description={t("users.startingBalanceText")}
          {...form.getInputProps("quota")}
        />
        {form.values.quota.trim() !== "" && (
          <TextInput label={t("users.reason")} {...form.getInputProps("reason")} />
        )}
        <FormFailure failure={failure} />
        <Group justify="flex-end">
          <Button type="submit" loading={isBusy}>
            {t("users.make")}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
