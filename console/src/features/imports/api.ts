// Importing from another gateway: a dry run or the real thing as a task, what was imported before, undo.

import { queryOptions } from "@tanstack/react-query";
import { fileBody } from "@/api/fileBody";
import { api, dataOf, type Schema } from "@/api/management";

export type Import = Schema<"Import">;
export type ImportReport = Schema<"ImportReport">;
export type UndoReport = Schema<"UndoReport">;
export type Note = ImportReport["notes"][number];

export const KINDS = ["new-api", "one-api", "litellm"] as const;
export type Kind = (typeof KINDS)[number];

const IMPORTS = "imports";
const IDLE_MS = 15_000;

export function importsQuery(p: number, page_size: number) {
  return queryOptions({
    queryKey: [IMPORTS, "list", p, page_size],
    queryFn: ({ signal }) =>
      dataOf(api.GET("/api/import/", { params: { query: { p, page_size } }, signal })),
    refetchInterval: IDLE_MS,
  });
}

export function importQuery(id: number) {
  return queryOptions({
    queryKey: [IMPORTS, "one", id],
    queryFn: ({ signal }) =>
      dataOf(api.GET("/api/import/{id}", { params: { path: { id } }, signal })),
  });
}

/** All that the cache has of imports, to be read again once one has ended. */
export const importsKey = [IMPORTS, "list"] as const;

export interface ImportRequest {
  kind: Kind;
  file: File;
  /** Tells several gateways of one kind apart; empty for the kind's own name. */
  source: string;
  /** What each account that is made begins with, in dollars; empty for nothing. */
  balance: string;
  isDryRun: boolean;
}

/** Sends the file as it is; resolves to the task that reads it. */
export async function beginImport({
  kind,
  file,
  source,
  balance,
  isDryRun,
}: ImportRequest): Promise<string> {
  const query = {
    kind,
    dry_run: isDryRun,
    ...(source === "" ? {} : { source }),
    ...(balance === "" ? {} : { balance_usd: balance }),
  };
  const begun = await dataOf(
    api.POST("/api/import/", {
      params: { query },
      ...fileBody(file),
    }),
  );
  return begun.task_id;
}

export async function beginUndo(id: number): Promise<string> {
  const params = { path: { id } };
  return (await dataOf(api.POST("/api/import/{id}/undo", { params }))).task_id;
}
