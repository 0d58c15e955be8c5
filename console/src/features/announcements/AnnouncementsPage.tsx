// What is announced to users: now, later and before.

import { Anchor, Button, Stack, Text, VisuallyHidden } from "@mantine/core";
import { IconBroadcast, IconPlus } from "@tabler/icons-react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import type { TFunction } from "i18next";
import { useTranslation } from "react-i18next";
import { DataRegion } from "@/ui/DataRegion";
import { DetailDrawer } from "@/ui/DetailDrawer";
import { EmptyFirst } from "@/ui/EmptyFirst";
import { PageHead } from "@/ui/PageHead";
import { StatusBadge, type Tone } from "@/ui/StatusBadge";
import { Time } from "@/ui/Time";
import type { Column } from "@/ui/table/columns";
import { DataTable } from "@/ui/table/DataTable";
import { failureToast, toast, undoToast } from "@/ui/toast";
import { useUrlState } from "@/ui/useUrlState";
import { createNotice, deleteNotice, type Notice, noticesQuery } from "./api";
import { NoticeForm } from "./NoticeForm";
import { type Phase, phaseOf } from "./window";

export interface AnnouncementsSearch {
  /** The open one: an id, or `new`. */
  open?: string;
  /** What a new one begins with, where another page suggests it. */
  title?: string;
  level?: string;
}

const PHASE_TEXT = {
  coming: "announcements.phase.coming",
  shown: "announcements.phase.shown",
  past: "announcements.phase.past",
} as const satisfies Record<Phase, string>;

const AUDIENCE_TEXT = {
  everyone: "announcements.audience.everyone",
  users: "announcements.audience.users",
  administrators: "announcements.audience.administrators",
} as const;

const TONES: Readonly<Record<Phase, Tone>> = { coming: "busy", shown: "good", past: "idle" };

export function AnnouncementsPage() {
  const { t } = useTranslation();
  const client = useQueryClient();
  const [{ open, title, level }, setSearch] = useUrlState<AnnouncementsSearch>();
  const notices = useQuery(noticesQuery);
  const refresh = () => client.invalidateQueries({ queryKey: noticesQuery.queryKey });
  const close = () => setSearch({ open: undefined, title: undefined, level: undefined });
  const remove = async (notice: Notice) => {
    const { id: _id, created_at: _made, ...content } = notice;
    try {
      await deleteNotice(notice.id);
      undoToast(t("announcements.deleted", { title: notice.title }), () => {
        void createNotice(content).catch(failureToast).then(refresh);
      });
    } catch (error) {
      failureToast(error);
    }
    await refresh();
  };
  const add = (
    <Button
      leftSection={<IconPlus size={16} />}
      onClick={() => setSearch({ open: "new" }, { push: true })}
    >
      {t("announcements.new")}
    </Button>
  );
  const edited = notices.data?.find(({ id }) => String(id) === open);
  return (
    <Stack gap="lg">
      <PageHead
        title={t("announcements.title")}
        description={t("announcements.text")}
        actions={add}
      />
      <DataRegion
        query={notices}
        skeletonHeight={280}
        isEmpty={(all) => all.length === 0}
        emptyFirst={
          <EmptyFirst
            icon={IconBroadcast}
            title={t("announcements.empty")}
            text={t("announcements.emptyText")}
          />
        }
      >
        {(all) => (
          <DataTable
            label={t("announcements.title")}
            columns={noticeColumns(
              t,
              ({ id }) => setSearch({ open: String(id) }, { push: true }),
              (notice) => void remove(notice),
            )}
            rows={all}
            rowId={({ id }) => String(id)}
          />
        )}
      </DataRegion>
      <DetailDrawer
        isOpen={open === "new" || edited !== undefined}
        title={edited?.title ?? t("announcements.new")}
        onClose={close}
      >
        <NoticeForm
          key={open}
          notice={edited}
          draft={{ title, level }}
          onSaved={({ title }) => {
            toast(t("announcements.saved", { title }));
            close();
            void refresh();
          }}
        />
      </DetailDrawer>
    </Stack>
  );
}

function noticeColumns(
  t: TFunction,
  onOpen: (notice: Notice) => void,
  onDelete: (notice: Notice) => void,
): Column<Notice>[] {
  return [
    {
      accessorKey: "title",
      header: t("announcements.headline"),
      cell: ({ row: { original } }) => (
        <Anchor
          component="button"
          type="button"
          size="sm"
          maw={360}
          truncate
          onClick={() => onOpen(original)}
        >
          <bdi>{original.title}</bdi>
        </Anchor>
      ),
    },
    {
      id: "phase",
      header: t("announcements.phase"),
      cell: ({ row: { original } }) => {
        const phase = phaseOf(original, Date.now());
        return <StatusBadge tone={TONES[phase]} label={t(PHASE_TEXT[phase])} />;
      },
    },
    {
      accessorKey: "level",
      header: t("announcements.level"),
      cell: ({ row: { original } }) =>
        original.level === "incident"
          ? t("announcements.level.incident")
          : t("announcements.level.notice"),
    },
    {
      accessorKey: "audience",
      header: t("announcements.audience"),
      cell: ({ row: { original } }) =>
        t(AUDIENCE_TEXT[original.audience as keyof typeof AUDIENCE_TEXT] ?? AUDIENCE_TEXT.everyone),
    },
    {
      accessorKey: "starts_at",
      header: t("announcements.from"),
      cell: ({ row: { original } }) => <Time at={original.starts_at} />,
    },
    {
      accessorKey: "ends_at",
      header: t("announcements.until"),
      cell: ({ row: { original } }) =>
        original.ends_at === null ? (
          <Text size="sm">{t("announcements.forever")}</Text>
        ) : (
          <Time at={original.ends_at} />
        ),
    },
    {
      id: "delete",
      header: () => <VisuallyHidden>{t("announcements.acts")}</VisuallyHidden>,
      cell: ({ row: { original } }) => (
        <Button size="compact-xs" variant="default" onClick={() => onDelete(original)}>
          {t("announcements.delete")}
        </Button>
      ),
    },
  ];
}
