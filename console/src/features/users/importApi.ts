// Users from a CSV file: tried out at once, made by a task.

import { fileBody } from "@/api/fileBody";
import { api, dataOf, type Schema } from "@/api/management";

export type ImportReport = Schema<"UserImportReport">;
export type ImportRow = Schema<"UserImportRow">;

export interface ImportRequest {
  file: File;
  /** For the ledger; empty: who imported it. */
  reason: string;
}

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

/** What a file looks like, with a row that shows how. */
export const TEMPLATE = `username,email,display_name,group,role,balance_usd,password
ada,ada@example.com,Ada Example,default,user,10.00,
`;
