import {
  Button,
  Group,
  PasswordInput,
  Select,
  SimpleGrid,
  Stack,
  Textarea,
  TextInput,
} from "@mantine/core";
import { useForm } from "@mantine/form";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useSession } from "@/session/session";
import { FormFailure } from "@/ui/form/FormFailure";
import { useSubmit } from "@/ui/form/useSubmit";
import { SectionCard } from "@/ui/SectionCard";
import { toast } from "@/ui/toast";
import { changeUser, groupNamesQuery, USERS, type User, userQuery } from "./api";
import { rolesToGive, roleText } from "./roles";
import { changeOf, valuesOf } from "./userChange";

/** Names, address, note, role, group and password; only what differs is sent. */
export function UserForm({ user, canManage }: { user: User; canManage: boolean }) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const { user: actor } = useSession();
  const { data: groups = [user.group] } = useQuery(groupNamesQuery);
  const form = useForm({
    initialValues: valuesOf(user),
    validate: { username: (name) => (name.trim() === "" ? t("users.nameMissing") : null) },
  });
  const { isBusy, failure, submit } = useSubmit(
    form,
    (values) => changeUser(changeOf(user, values)),
    (changed) => {
      client.setQueryData(userQuery(user.id).queryKey, changed);
      void client.invalidateQueries({ queryKey: [USERS] });
      form.setValues(valuesOf(changed));
      toast(t("users.saved"));
    },
  );
  const roles = [...new Set([...rolesToGive(actor), user.role])];
  const isUnchanged = Object.keys(changeOf(user, form.values)).length === 1;
  return (
    <SectionCard title={t("users.section.profile")}>
      <form noValidate onSubmit={form.onSubmit((values) => void submit(values))}>
        <Stack gap="md">
          <SimpleGrid cols={{ base: 1, sm: 2 }}>
            <TextInput
              label={t("users.username")}
              autoComplete="off"
              disabled={!canManage}
              {...form.getInputProps("username")}
            />
            <TextInput
              label={t("users.displayName")}
              autoComplete="off"
              disabled={!canManage}
              {...form.getInputProps("display_name")}
            />
            <TextInput
              label={t("users.email")}
              type="email"
              autoComplete="off"
              disabled={!canManage}
              {...form.getInputProps("email")}
            />
            <PasswordInput
              label={t("users.newPassword")}
              description={t("users.newPasswordText")}
              autoComplete="new-password"
              disabled={!canManage}
              visibilityToggleButtonProps={{ "aria-label": t("users.showPassword") }}
              {...form.getInputProps("password")}
            />
            <Select
              label={t("users.column.role")}
              description={t("users.roleText")}
              allowDeselect={false}
              disabled={!canManage || user.id === actor.id}
              data={roles.map((role) => ({ value: String(role), label: t(roleText(role)) }))}
              {...form.getInputProps("role")}
            />
            <Select
              label={t("users.column.group")}
              allowDeselect={false}
              searchable
              disabled={!canManage}
              data={groups}
              {...form.getInputProps("group")}
            />
          </SimpleGrid>
          <Textarea
            label={t("users.remark")}
            description={t("users.remarkText")}
            autosize
            minRows={2}
            disabled={!canManage}
            {...form.getInputProps("remark")}
          />
          <FormFailure failure={failure} />
          <Group>
            <Button type="submit" loading={isBusy} disabled={!canManage || isUnchanged}>
              {t("users.save")}
            </Button>
          </Group>
        </Stack>
      </form>
    </SectionCard>
  );
}
