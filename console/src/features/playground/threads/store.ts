// The list of threads as the page sees it, kept in step with the database. Every change is written at
// once; a browser that keeps no database (a private window, for example) has threads until it is closed.

import { ThreadDatabase } from "./database";
import { summaryOf, type Thread, type ThreadSummary } from "./thread";

export interface ThreadsSnapshot {
  summaries: readonly ThreadSummary[];
  isLoaded: boolean;
  /** Whether threads outlive the page. */
  isKept: boolean;
}

export class ThreadStore {
  #snapshot: ThreadsSnapshot = { summaries: [], isLoaded: false, isKept: true };
  readonly #listeners = new Set<() => void>();
  readonly #memory = new Map<string, Thread>();
  readonly #database: Promise<ThreadDatabase | undefined>;

  constructor(userId: number) {
    this.#database = ThreadDatabase.open(userId).catch(() => undefined);
    void this.#load();
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly snapshot = (): ThreadsSnapshot => this.#snapshot;

  async get(id: string): Promise<Thread | undefined> {
    return this.#memory.get(id) ?? (await (await this.#database)?.get(id));
  }

  async put(...threads: Thread[]): Promise<void> {
    const ids = new Set(threads.map(({ id }) => id));
    const others = this.#snapshot.summaries.filter(({ id }) => !ids.has(id));
    this.#publish({ summaries: [...others, ...threads.map(summaryOf)] });
    await this.#write(
      (database) => database.put(threads),
      () => {
        for (const thread of threads) {
          this.#memory.set(thread.id, thread);
        }
      },
    );
  }

  /** Changes a thread's title or pin. */
  async change(id: string, change: Partial<Pick<Thread, "title" | "pinned">>): Promise<void> {
    const thread = await this.get(id);
    if (thread !== undefined) {
      await this.put({ ...thread, ...change });
    }
  }

  /** Removes a thread and hands it out, so that it can be put back. */
  async remove(id: string): Promise<Thread | undefined> {
    const thread = await this.get(id);
    this.#publish({ summaries: this.#snapshot.summaries.filter((each) => each.id !== id) });
    this.#memory.delete(id);
    await this.#write(
      (database) => database.delete(id),
      () => undefined,
    );
    return thread;
  }

  async all(): Promise<Thread[]> {
    const read = await Promise.all(this.#snapshot.summaries.map(({ id }) => this.get(id)));
    return read.flatMap((thread) => (thread === undefined ? [] : [thread]));
  }

  async #load(): Promise<void> {
    const database = await this.#database;
    const kept = (await database?.list().catch(() => undefined)) ?? [];
    const known = new Set(this.#snapshot.summaries.map(({ id }) => id));
    const summaries = [...this.#snapshot.summaries, ...kept.filter(({ id }) => !known.has(id))];
    this.#publish({ summaries, isLoaded: true, isKept: database !== undefined });
  }

  async #write(
    write: (database: ThreadDatabase) => Promise<void>,
    otherwise: () => void,
  ): Promise<void> {
    const database = await this.#database;
    try {
      if (database === undefined) {
        otherwise();
      } else {
        await write(database);
      }
    } catch {
      // The disk is full, for example: the page goes on and says that nothing is kept.
      otherwise();
      this.#publish({ isKept: false });
    }
  }

  #publish(change: Partial<ThreadsSnapshot>): void {
    this.#snapshot = { ...this.#snapshot, ...change };
    for (const listener of this.#listeners) {
      listener();
    }
  }
}
