// What long work is called and what it says.

import type { TFunction } from "i18next";
import type { Schema } from "@/api/management";

type Task = Schema<"Task">;
type Note = NonNullable<Task["note"]>;

export const TASK_KINDS = {
  channel_batch: "tasks.kind.channels",
  channel_test: "tasks.kind.tests",
  import: "tasks.kind.import",
  import_undo: "tasks.kind.undo",
  log_export: "tasks.kind.export",
  user_import: "tasks.kind.users",
} as const satisfies Record<Task["kind"], string>;

export const TASK_STATES = {
  running: "tasks.state.running",
  done: "tasks.state.done",
  failed: "tasks.state.failed",
  cancelled: "tasks.state.cancelled",
} as const;

type State = keyof typeof TASK_STATES;

export const TASK_NOTES = {
  exports_calls: "said.task.exportsCalls",
  reads_rows: "said.task.readsRows",
  changes_channels: "said.task.changesChannels",
  tests_channels: "said.task.testsChannels",
  imports: "said.task.imports",
  tries_import: "said.task.triesImport",
  undoes_import: "said.task.undoesImport",
  done: "said.task.done",
  cancelled: "said.task.cancelled",
  cancelled_half_way: "said.task.cancelledHalfWay",
  import_cancelled: "said.task.importCancelled",
  broke_off: "said.task.brokeOff",
  failed: "said.task.failed",
  all_changed: "said.task.allChanged",
  left_out: "said.task.leftOut",
  tested: "said.task.tested",
  carried_over: "said.task.carriedOver",
  would_carry_over: "said.task.wouldCarryOver",
  taken_out: "said.task.takenOut",
  taken_out_in_part: "said.task.takenOutInPart",
  users_made: "said.task.usersMade",
  node_gone: "said.task.nodeGone",
  nobody_waited: "said.task.nobodyWaited",
} as const satisfies Record<Note["code"], string>;

/** What kind of work it is; one that is not known keeps the gateway's name. */
export function taskName(t: TFunction, kind: Task["kind"]): string {
  return kind in TASK_KINDS ? t(TASK_KINDS[kind]) : kind;
}

/** What it says, in the gateway's English where that is all there is. */
export function taskText(t: TFunction, { note, message }: Pick<Task, "note" | "message">): string {
  if (note === null || note === undefined || !(note.code in TASK_NOTES)) {
    return message;
  }
  return t(TASK_NOTES[note.code], "values" in note ? note.values : {});
}

/** How far it came, in a word. */
export function taskState(t: TFunction, state: string): string {
  return state in TASK_STATES ? t(TASK_STATES[state as State]) : state;
}
