// All settings by page, or those that a search finds. Changes are kept while one goes from page to page
// and are saved together; leaving with unsaved ones asks first.

import { Button, Group, Modal, NavLink, Stack, Text, TextInput } from "@mantine/core";
import { IconChevronRight, IconSearch } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link, useBlocker } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { useSession } from "@/session/session";
import { DataRegion } from "@/ui/DataRegion";
import { PageHead } from "@/ui/PageHead";
import { useUrlState } from "@/ui/useUrlState";
import { type Setting, settingsQuery } from "./api";
import { searchSettings } from "./changes";
import { PAGE_TEXT, PAGES, type SettingsPageName } from "./pages";
import { SaveBar } from "./SaveBar";
import { SettingRow } from "./SettingRow";
import classes from "./settings.module.css";
import { type SettingsDraft, useSettingsDraft } from "./useSettingsDraft";
import { inWords, wordsQuery } from "./words";

export interface SettingsSearch {
  /** Seeks in all settings. */
  q?: string;
}

export function SettingsPage({ page }: { page: SettingsPageName }) {
  const { t, i18n } = useTranslation();
  const words = useQuery(wordsQuery(i18n.language)).data;
  const settings = useQuery({ ...settingsQuery, select: (all) => inWords(all, words) });
  const draft = useSettingsDraft();
  const [{ q = "" }, setSearch] = useUrlState<SettingsSearch>();
  return (
    <Stack gap="lg">
      <PageHead title={t("settings.title")} description={t("settings.text")} />
      <TextInput
        type="search"
        aria-label={t("settings.search")}
        placeholder={t("settings.search")}
        leftSection={<IconSearch size={16} />}
        value={q}
        onChange={(event) => setSearch({ q: event.currentTarget.value })}
        maw={480}
      />
      <div className={classes.columns}>
        <nav aria-label={t("settings.pages")} className={classes.pages}>
          {PAGES.map((each) => (
            <NavLink
              key={each}
              component={Link}
              to={`/console/settings/${each}`}
              label={t(PAGE_TEXT[each])}
              active={q === "" && each === page}
              aria-current={q === "" && each === page ? "page" : undefined}
            />
          ))}
          <NavLink
            component={Link}
            to="/console/settings/import"
            label={t("settings.import")}
            rightSection={<IconChevronRight size={14} aria-hidden />}
          />
        </nav>
        <DataRegion
          query={settings}
          skeletonHeight={480}
          isEmpty={(all) => shownOf(all, page, q).length === 0}
          filter={
            q === ""
              ? undefined
              : { total: settings.data?.length ?? 0, onClear: () => setSearch({ q: undefined }) }
          }
          emptyFirst={<Text>{t("settings.empty")}</Text>}
        >
          {(all) => <List settings={shownOf(all, page, q)} draft={draft} />}
        </DataRegion>
      </div>
      <SaveBar draft={draft} />
      <LeaveGuard isDirty={draft.count > 0} />
    </Stack>
  );
}

function shownOf(all: readonly Setting[], page: string, sought: string): Setting[] {
  return sought === "" ? all.filter((each) => each.page === page) : searchSettings(all, sought);
}

function List({ settings, draft }: { settings: readonly Setting[]; draft: SettingsDraft }) {
  const { t } = useTranslation();
  const { isRoot } = useSession();
  return (
    <Stack gap="sm">
      {!isRoot && <Text size="sm">{t("settings.rootOnly")}</Text>}
      <ul className={classes.list} aria-label={t("settings.title")}>
        {settings.map((setting) => (
          <SettingRow
            key={setting.key}
            setting={setting}
            change={
              setting.key in draft.changes ? { value: draft.changes[setting.key] } : undefined
            }
            error={draft.refused?.key === setting.key ? draft.refused.text : undefined}
            canWrite={isRoot}
            onChange={(value) => draft.change(setting, value)}
          />
        ))}
      </ul>
    </Stack>
  );
}

function LeaveGuard({ isDirty }: { isDirty: boolean }) {
  const { t } = useTranslation();
  const blocker = useBlocker({
    shouldBlockFn: ({ next }) => isDirty && !next.pathname.startsWith("/console/settings"),
    enableBeforeUnload: isDirty,
    withResolver: true,
  });
  return (
    <Modal
      opened={blocker.status === "blocked"}
      onClose={() => blocker.reset?.()}
      title={t("settings.leave.title")}
      closeButtonProps={{ "aria-label": t("ui.close") }}
    >
      <Stack gap="md">
        <Text size="sm">{t("settings.leave.text")}</Text>
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={() => blocker.proceed?.()}>
            {t("settings.leave.discard")}
          </Button>
          <Button onClick={() => blocker.reset?.()}>{t("settings.leave.stay")}</Button>
        </Group>
      </Stack>
    </Modal>
  );
}
