// How fast a task goes and how long it may still take, as far as its own figures tell.

export interface Progress {
  done: number;
  total: number | null;
  created_at: string;
  updated_at: string;
}

/** Steps a second and seconds left; absent where that cannot be told. */
export function paceOf(task: Progress): { perSecond?: number; secondsLeft?: number } {
  const seconds = (Date.parse(task.updated_at) - Date.parse(task.created_at)) / 1_000;
  if (task.done <= 0 || seconds <= 0) {
    return {};
  }
  const perSecond = task.done / seconds;
  return task.total === null
    ? { perSecond }
    : { perSecond, secondsLeft: Math.max(0, task.total - task.done) / perSecond };
}
