import { Button, Stack } from "@mantine/core";
import { IconPlus, IconUsersGroup } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { DataRegion } from "@/ui/DataRegion";
import { DetailDrawer } from "@/ui/DetailDrawer";
import { EmptyFirst } from "@/ui/EmptyFirst";
import { PageHead } from "@/ui/PageHead";
import { DataTable } from "@/ui/table/DataTable";
import { useUrlState } from "@/ui/useUrlState";
import { groupsQuery, type UserGroup } from "./api";
import { GroupForm } from "./GroupForm";
import { groupColumns } from "./groupColumns";
import type { GroupsSearch } from "./search";

const SKELETON_HEIGHT = 280;

/** Groups decide prices, channels and limits of their members. */
export function GroupsPage() {
  const { t } = useTranslation();
  const [{ sort, open }, setSearch] = useUrlState<GroupsSearch>();
  const groups = useQuery(groupsQuery);
  const close = () => setSearch({ open: undefined });
  const shown = groups.data?.find(({ id }) => String(id) === open);
  return (
    <Stack gap="lg">
      <PageHead
        title={t("groups.title")}
        description={t("groups.text")}
        actions={
          <Button
            leftSection={<IconPlus size={17} />}
            onClick={() => setSearch({ open: "new" }, { push: true })}
          >
            {t("groups.new")}
          </Button>
        }
      />
      <DataRegion
        query={groups}
        skeletonHeight={SKELETON_HEIGHT}
        isEmpty={(list) => list.length === 0}
        emptyFirst={
          <EmptyFirst icon={IconUsersGroup} title={t("groups.none")} text={t("groups.text")} />
        }
      >
        {(list) => (
          <DataTable
            label={t("groups.title")}
            columns={groupColumns(t, (group) => setSearch({ open: String(group.id) }, PUSH))}
            rows={list}
            rowId={(group) => String(group.id)}
            sort={sort}
            onSort={(next) => setSearch({ sort: next })}
            isWhole
            onOpen={(group: UserGroup) => setSearch({ open: String(group.id) }, PUSH)}
          />
        )}
      </DataRegion>
      <DetailDrawer
        isOpen={open === "new" || shown !== undefined}
        title={shown?.name ?? t("groups.new")}
        onClose={close}
      >
        <GroupForm key={open} group={shown} onDone={close} />
      </DetailDrawer>
    </Stack>
  );
}

const PUSH = { push: true } as const;
