// Users from a CSV file: tried out at once, made by a task.

import { queryOptions } from "@tanstack/react-query";
import { fileBody } from "@/api/fileBody";
import { api, dataOf, type Schema } from "@/api/management";

export type ImportReport = Schema<"UserImportReport">;
export type ImportRow = Schema<"UserImportRow">;
export type Task = Schema<"Task">;

export interface ImportRequest {
  file: File;
  /** For the ledger; empty: who imported it. */
  reason: string;
}

const LOOK_EVERY_MS = 500;

function send({ file, reason }: ImportRequest, dry_run: boolean) {
  const query = { dry_run, ...(reason === "" ? {} : { reason }) };
  return dataOf(api.POST("/api/user/import", { params: { query }, ...fileBody(file) }));
}

/** What would become of each row. */
export async function tryImport(request: ImportRequest): Promise<ImportReport> {
  return (await send(request, true)).report as ImportReport;
}

/** Resolves to the task that makes the users. */
export async function beginImport(request: ImportRequest): Promise<string> {
  return (await send(request, false)).task_id as string;
}

/** The task, looked at until it has ended. */
export function importTaskQuery(task_id: string) {
  return queryOptions({
    queryKey: ["users", "import", task_id],
    queryFn: ({ signal }) =>
      dataOf(api.GET("/api/task/{task_id}", { params: { path: { task_id } }, signal })),
    refetchInterval: ({ state: { data } }) => (data?.state === "running" ? LOOK_EVERY_MS : false),
  });
}

export function cancelImport(task_id: string) {
  return dataOf(api.POST("/api/task/{task_id}/cancel", { params: { path: { task_id } } }));
}

/** What a file looks like, with a row that shows how. */
export const TEMPLATE = `username,email,display_name,group,role,balance_usd,password
ada,ada@example.com,Ada Example,default,user,10.00,
`;
