// Channels × models, each cell a real call. The gateway does it as a task: it can be stopped at any time
// and goes on without this page.

import { Button, Group, MultiSelect, Paper, Progress, Stack, TagsInput, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { aliasOf, entryFor, isPattern } from "@/lib/servedModels";
import { BackButton } from "@/ui/BackButton";
import { DataRegion } from "@/ui/DataRegion";
import { PageHead } from "@/ui/PageHead";
import { useUrlState } from "@/ui/useUrlState";
import { boardQuery, type Channel } from "./api";
import { MatrixGrid } from "./MatrixGrid";
import type { Cell } from "./matrix";
import { useMatrix } from "./useMatrix";

interface MatrixSearch {
  /** Ids of the chosen channels; absent: all. */
  channels?: string[];
  /** The chosen models; absent: all that the channels name. */
  models?: string[];
  /** The task that tries them out. */
  task?: string;
}

export function MatrixPage() {
  const { t } = useTranslation();
  const channels = useQuery(boardQuery({}));
  return (
    <Stack gap="lg">
      <BackButton to="/console/channels">{t("channels.title")}</BackButton>
      <PageHead title={t("channels.matrix.title")} description={t("channels.matrix.text")} />
      <DataRegion
        query={channels}
        skeletonHeight={420}
        isEmpty={({ total }) => total === 0}
        emptyFirst={<Text>{t("channels.empty.text")}</Text>}
      >
        {({ items }) => <Matrix channels={items} />}
      </DataRegion>
    </Stack>
  );
}

function Matrix({ channels }: { channels: readonly Channel[] }) {
  const { t } = useTranslation();
  const [search, setSearch] = useUrlState<MatrixSearch>();
  const { run, isBeginning, start, stop } = useMatrix(search.task, (task) => setSearch({ task }));
  const shown = channels.filter(
    ({ id }) => search.channels === undefined || search.channels.includes(String(id)),
  );
  const listed = shown.flatMap(({ models }) => models.map(aliasOf));
  const served = [...new Set(listed)].filter((name) => !isPattern(name)).sort();
  const models = search.models ?? served;
  const cells: Cell[] = shown.flatMap((channel) =>
    models
      .filter((model) => entryFor(channel.models, model) !== undefined)
      .map((model) => ({ channelId: channel.id, model })),
  );
  const { done, total } = run ?? { done: 0, total: 0 };
  return (
    <Stack gap="md">
      <Paper withBorder p="md">
        <Stack gap="md">
          <Group align="flex-end" grow preventGrowOverflow={false}>
            <MultiSelect
              label={t("channels.matrix.channels")}
              placeholder={search.channels === undefined ? t("channels.matrix.all") : ""}
              data={channels.map(({ id, name }) => ({ value: String(id), label: name }))}
              value={search.channels ?? []}
              onChange={(ids) => setSearch({ channels: ids.length === 0 ? undefined : ids })}
              searchable
              clearable
            />
            <TagsInput
              label={t("channels.models")}
              placeholder={search.models === undefined ? t("channels.matrix.all") : ""}
              data={[...new Set([...served, ...(search.models ?? [])])]}
              value={search.models ?? []}
              onChange={(next) => setSearch({ models: next.length === 0 ? undefined : next })}
              clearable
            />
          </Group>
          <Group justify="space-between">
            <Text size="sm" role="status" data-testid="matrix-progress">
              {run === undefined
                ? t("channels.matrix.ready", { count: cells.length })
                : t("channels.matrix.progress", { done, total })}
            </Text>
            {run?.isRunning === true ? (
              <Button key="stop" variant="default" onClick={stop}>
                {t("channels.test.stop")}
              </Button>
            ) : (
              <Button
                key="start"
                loading={isBeginning}
                disabled={cells.length === 0}
                onClick={() => start({ channel_ids: shown.map(({ id }) => id), models })}
              >
                {t("channels.matrix.start", { count: cells.length })}
              </Button>
            )}
          </Group>
          {run?.isRunning === true && (
            <Progress
              value={total === 0 ? 0 : (done / total) * 100}
              aria-label={t("channels.bulk.progress")}
            />
          )}
        </Stack>
      </Paper>
      <MatrixGrid channels={shown} models={models} run={run} />
    </Stack>
  );
}
