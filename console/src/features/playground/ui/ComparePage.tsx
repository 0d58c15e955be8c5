import { Button, Group, VisuallyHidden } from "@mantine/core";
import { IconArrowLeft, IconPlus } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type UIEvent, useCallback, useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { useUrlState } from "@/ui/useUrlState";
import type { CompareSearch } from "../model/address";
import { newId, type ReplyFacts } from "../model/conversation";
import { blockOf, modelsFor } from "../model/models";
import { ANY_CHANNEL, DEFAULT_SETTINGS, type Settings } from "../model/settings";
import { modelsQuery } from "../send/api";
import { type ColumnHandle, CompareColumn } from "./CompareColumn";
import { CompareComposer } from "./CompareComposer";
import { CompareTable } from "./CompareTable";
import classes from "./Playground.module.css";

const MOST_COLUMNS = 4;

interface Column {
  id: string;
  settings: Settings;
  facts?: ReplyFacts | undefined;
  isRunning: boolean;
}

/** One message to several models at once. A column that fails does not stop the others. */
export function ComparePage() {
  const { t } = useTranslation();
  const [{ models: named }, setSearch] = useUrlState<CompareSearch>();
  const { data: models = [] } = useQuery(modelsQuery(ANY_CHANNEL));
  const [columns, setColumns] = useColumns(named, models);
  const [vote, setVote] = useState<string>();
  const handles = useRef(new Map<string, ColumnHandle>());
  const region = useRef<HTMLDivElement>(null);
  useEffect(() => {
    document.title = t("frame.tab", { page: t("playground.compare.title") });
  }, [t]);
  const change = useCallback(
    (id: string, patch: Partial<Column>) =>
      setColumns((before) =>
        before.map((column) => (column.id === id ? { ...column, ...patch } : column)),
      ),
    [setColumns],
  );
  const write = (next: readonly Column[]) => {
    setColumns([...next]);
    setSearch({ models: next.map(({ settings }) => settings.model).join(",") });
  };
  const isRunning = columns.some((column) => column.isRunning);
  return (
    <div className={classes.page} data-fills-frame data-threads="false" data-panel="false">
      <VisuallyHidden component="h1">{t("playground.compare.title")}</VisuallyHidden>
      <div className={classes.centre}>
        <Group className={classes.bar} justify="space-between">
          <Button
            variant="default"
            size="sm"
            leftSection={<IconArrowLeft size={16} />}
            renderRoot={(root) => <Link {...root} to="/console/playground" />}
          >
            {t("playground.compare.back")}
          </Button>
          <Button
            size="sm"
            variant="light"
            leftSection={<IconPlus size={16} />}
            disabled={columns.length >= MOST_COLUMNS}
            onClick={() => write([...columns, emptyColumn(columns[0]?.settings.model ?? "")])}
          >
            {columns.length >= MOST_COLUMNS
              ? t("playground.compare.full")
              : t("playground.compare.add")}
          </Button>
        </Group>
        <div
          className={classes.columns}
          ref={region}
          onScrollCapture={(event) => scrollTogether(event, region.current)}
        >
          {columns.map((column, index) => (
            <CompareColumn
              key={column.id}
              number={index + 1}
              models={models}
              settings={column.settings}
              handles={handles.current}
              id={column.id}
              onSettings={(settings) =>
                write(columns.map((each) => (each.id === column.id ? { ...each, settings } : each)))
              }
              onFacts={change}
              onRemove={
                columns.length < 2
                  ? undefined
                  : () => write(columns.filter(({ id }) => id !== column.id))
              }
            />
          ))}
        </div>
        <CompareTable columns={columns} vote={vote} onVote={setVote} />
        <CompareComposer
          isRunning={isRunning}
          onSend={(text) => {
            setVote(undefined);
            for (const { id } of columns) {
              handles.current.get(id)?.send(text);
            }
          }}
          onStop={() => {
            for (const { id } of columns) {
              handles.current.get(id)?.stop();
            }
          }}
        />
      </div>
    </div>
  );
}

function emptyColumn(model: string): Column {
  return { id: newId(), settings: { ...DEFAULT_SETTINGS, model }, isRunning: false };
}

/** The models of the address, or the first two that can be called. */
function useColumns(named: string | undefined, models: Parameters<typeof modelsFor>[0]) {
  const names = (named ?? "").split(",").filter(Boolean).slice(0, MOST_COLUMNS);
  const [columns, setColumns] = useState<Column[]>(() => names.map(emptyColumn));
  const callable = modelsFor(models, "chat").filter((model) => blockOf(model) === undefined);
  const hasModels = callable.length > 0;
  // Only what there is when the list of models arrives counts: a column that is closed stays closed.
  // biome-ignore lint/correctness/useExhaustiveDependencies: see above
  useEffect(() => {
    if (hasModels) {
      setColumns((before) => {
        const taken = new Set(before.map(({ settings }) => settings.model));
        const rest = callable
          .filter(({ name }) => !taken.has(name))
          .map(({ name }) => emptyColumn(name));
        const filled = [...before, ...rest].slice(0, 2);
        return filled.length > before.length ? filled : before;
      });
    }
  }, [hasModels]);
  return [columns, setColumns] as const;
}

/** Scrolls the other columns by the same share of their height. */
function scrollTogether(event: UIEvent, region: HTMLElement | null): void {
  const source = event.target;
  if (
    !(source instanceof HTMLElement) ||
    region === null ||
    !source.matches("section:hover, section:focus-within")
  ) {
    return;
  }
  const share = source.scrollTop / Math.max(1, source.scrollHeight - source.clientHeight);
  for (const other of region.querySelectorAll<HTMLElement>("section")) {
    if (other !== source) {
      other.scrollTop = share * (other.scrollHeight - other.clientHeight);
    }
  }
}
