// One call for each, one after the other: a refusal of one does not stop the others.

export interface Done<T> {
  done: T[];
  /** The first refusal. */
  failed: unknown;
}

export async function doForEach<T>(
  items: readonly T[],
  act: (item: T) => Promise<unknown>,
): Promise<Done<T>> {
  const done: T[] = [];
  let failed: unknown;
  for (const item of items) {
    try {
      await act(item);
      done.push(item);
    } catch (error) {
      failed ??= error;
    }
  }
  return { done, failed };
}
