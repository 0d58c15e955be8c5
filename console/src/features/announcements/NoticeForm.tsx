// An announcement being written, with what readers will see beside it.

import {
  Button,
  Group,
  Paper,
  SegmentedControl,
  Select,
  SimpleGrid,
  Stack,
  Text,
  Textarea,
  TextInput,
} from "@mantine/core";
import { useForm } from "@mantine/form";
import { lazy, Suspense } from "react";
import { useTranslation } from "react-i18next";
import { FormFailure } from "@/ui/form/FormFailure";
import { useSubmit } from "@/ui/form/useSubmit";
import { createNotice, type Notice, updateNotice } from "./api";
import { localField, momentOf } from "./window";

const NoticeText = lazy(() => import("@/ui/NoticeText"));

export interface NoticeFormProps {
  /** Absent for a new one. */
  notice: Notice | undefined;
  /** What a new one begins with. */
  draft: { title: string | undefined; level: string | undefined };
  onSaved: (notice: Notice) => void;
}

export function NoticeForm({ notice, draft, onSaved }: NoticeFormProps) {
  const { t } = useTranslation();
  const form = useForm({
    initialValues: {
      title: notice?.title ?? draft.title ?? "",
      body: notice?.body ?? "",
      level: notice?.level ?? draft.level ?? "notice",
      audience: notice?.audience ?? "everyone",
      starts_at: localField(notice?.starts_at ?? null),
      ends_at: localField(notice?.ends_at ?? null),
    },
    validate: {
      title: (title) => (title.trim() === "" ? t("announcements.needsTitle") : null),
      ends_at: (end, { starts_at }) =>
        end !== "" && starts_at !== "" && end <= starts_at ? t("announcements.endsEarly") : null,
    },
  });
  const { isBusy, failure, submit } = useSubmit(
    form,
    ({ starts_at, ends_at, ...values }) => {
      const body = { ...values, starts_at: momentOf(starts_at), ends_at: momentOf(ends_at) };
      return notice === undefined ? createNotice(body) : updateNotice({ id: notice.id, ...body });
    },
    onSaved,
  );
  return (
    <form onSubmit={form.onSubmit((values) => void submit(values))}>
      <Stack gap="md">
        <TextInput
          label={t("announcements.headline")}
          maxLength={200}
          data-autofocus
          {...form.getInputProps("title")}
        />
        <Textarea
          label={t("announcements.body")}
          description={t("announcements.bodyText")}
          autosize
          minRows={5}
          maxRows={14}
          {...form.getInputProps("body")}
        />
        <Preview title={form.values.title} body={form.values.body} />
        <SegmentedControl
          aria-label={t("announcements.level")}
          data={[
            { value: "notice", label: t("announcements.level.notice") },
            { value: "incident", label: t("announcements.level.incident") },
          ]}
          {...form.getInputProps("level")}
        />
        <Select
          label={t("announcements.audience")}
          data={[
            { value: "everyone", label: t("announcements.audience.everyone") },
            { value: "users", label: t("announcements.audience.users") },
            { value: "administrators", label: t("announcements.audience.administrators") },
          ]}
          allowDeselect={false}
          {...form.getInputProps("audience")}
        />
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <TextInput
            type="datetime-local"
            label={t("announcements.from")}
            description={t("announcements.fromText")}
            {...form.getInputProps("starts_at")}
          />
          <TextInput
            type="datetime-local"
            label={t("announcements.until")}
            description={t("announcements.untilText")}
            {...form.getInputProps("ends_at")}
          />
        </SimpleGrid>
        <FormFailure failure={failure} />
        <Group justify="flex-end">
          <Button type="submit" loading={isBusy}>
            {notice === undefined ? t("announcements.publish") : t("announcements.save")}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function Preview({ title, body }: { title: string; body: string }) {
  const { t } = useTranslation();
  return (
    <Paper withBorder p="md" role="region" aria-label={t("announcements.preview")}>
      <Text size="xs" c="dimmed">
        {t("announcements.preview")}
      </Text>
      <Text fw={600} style={{ overflowWrap: "anywhere" }}>
        {title}
      </Text>
      <Suspense>
        <NoticeText text={body} />
      </Suspense>
    </Paper>
  );
}
