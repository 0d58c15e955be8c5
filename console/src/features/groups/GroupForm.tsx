import { Button, Checkbox, Group, Stack, Text, Textarea, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { ConfirmByName } from "@/ui/ConfirmByName";
import { FormFailure } from "@/ui/form/FormFailure";
import { useSubmit } from "@/ui/form/useSubmit";
import { RouterAnchor } from "@/ui/RouterAnchor";
import { failureToast, toast } from "@/ui/toast";
import { changeGroup, createGroup, deleteGroup, groupsQuery, type UserGroup } from "./api";
import { LIMIT_TEXT } from "./groupColumns";
import { isLimit, isMultiplier, LIMITS, requestOf, valuesOf } from "./groupValues";

export interface GroupFormProps {
  /** The group to change; absent to make one. */
  group: UserGroup | undefined;
  onDone: () => void;
}

/** Makes or changes a group. Its name never changes, since prices and channels refer to it. */
export function GroupForm({ group, onDone }: GroupFormProps) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const limit = (text: string) => (isLimit(text) ? null : t("groups.badLimit"));
  const form = useForm({
    initialValues: valuesOf(group),
    validate: {
      name: (name) => (name.trim() === "" ? t("groups.nameMissing") : null),
      multiplier: (text) => (isMultiplier(text) ? null : t("groups.badMultiplier")),
      ...Object.fromEntries(LIMITS.map((field) => [field, limit])),
    },
  });
  const { isBusy, failure, submit } = useSubmit(
    form,
    (values) => {
      const request = requestOf(values);
      return group === undefined
        ? createGroup({ ...request, name: values.name.trim() })
        : changeGroup({ ...request, id: group.id });
    },
    (saved) => {
      toast(t("groups.saved", { name: saved.name }));
      void client.invalidateQueries({ queryKey: groupsQuery.queryKey });
      onDone();
    },
  );
  return (
    <Stack gap="lg">
      <form noValidate onSubmit={form.onSubmit((values) => void submit(values))}>
        <Stack gap="md">
          <TextInput
            label={t("groups.name")}
            description={t("groups.nameText")}
            readOnly={group !== undefined}
            autoComplete="off"
            {...(group === undefined ? { "data-autofocus": true } : { variant: "filled" })}
            {...form.getInputProps("name")}
          />
          <Textarea
            label={t("groups.description")}
            autosize
            minRows={2}
            {...form.getInputProps("description")}
          />
          <TextInput
            label={t("groups.multiplier")}
            description={t("groups.multiplierText")}
            inputMode="decimal"
            {...form.getInputProps("multiplier")}
          />
          <Checkbox
            label={t("groups.selectable")}
            description={t("groups.selectableText")}
            {...form.getInputProps("is_selectable", { type: "checkbox" })}
          />
          <Checkbox
            label={t("groups.hostedTools")}
            description={t("groups.hostedToolsText")}
            {...form.getInputProps("allows_hosted_tools", { type: "checkbox" })}
          />
          {LIMITS.map((field) => (
            <TextInput
              key={field}
              label={t(LIMIT_TEXT[field])}
              placeholder={t("groups.noLimit")}
              inputMode="numeric"
              {...form.getInputProps(field)}
            />
          ))}
          <Text size="sm" c="dimmed">
            {t("groups.limitsText")}
          </Text>
          <FormFailure failure={failure} />
          <Group justify="flex-end">
            <Button type="submit" loading={isBusy}>
              {t(group === undefined ? "groups.make" : "groups.save")}
            </Button>
          </Group>
        </Stack>
      </form>
      {group !== undefined && <GroupEnd group={group} onDone={onDone} />}
    </Stack>
  );
}

/** Deleting, or why it is not possible. */
function GroupEnd({ group, onDone }: { group: UserGroup; onDone: () => void }) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const [isAsking, setAsking] = useState(false);
  const remove = useMutation({
    mutationFn: () => deleteGroup(group.id),
    onSuccess: async () => {
      onDone();
      toast(t("groups.deleted", { name: group.name }));
      await client.invalidateQueries({ queryKey: groupsQuery.queryKey });
    },
    onError: failureToast,
    onSettled: () => setAsking(false),
  });
  const isDefault = group.name === "default";
  const isUsed = group.user_count + group.token_count > 0;
  return (
    <Stack gap="xs" align="flex-start">
      <RouterAnchor to="/console/users" search={{ group: group.name }} size="sm">
        {t("groups.members")}
      </RouterAnchor>
      <Button
        color="red"
        variant="light"
        disabled={isDefault || isUsed}
        onClick={() => setAsking(true)}
      >
        {t("groups.delete")}
      </Button>
      {(isDefault || isUsed) && (
        <Text size="sm" c="dimmed">
          {t(isDefault ? "groups.defaultStays" : "groups.isUsed")}
        </Text>
      )}
      <ConfirmByName
        isOpen={isAsking}
        title={t("groups.delete")}
        name={group.name}
        action={t("groups.delete")}
        isBusy={remove.isPending}
        onConfirm={() => remove.mutate()}
        onClose={() => setAsking(false)}
      >
        {t("groups.deleteText")}
      </ConfirmByName>
    </Stack>
  );
}
