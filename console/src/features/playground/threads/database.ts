// Threads in the browser's database, one database for each user, so that a shared browser shows nobody
// the threads of another. Lists are kept beside the threads, because reading every thread for its title
// would read every picture as well.

import { summaryOf, type Thread, type ThreadSummary } from "./thread";

const VERSION = 1;
const THREADS = "threads";
const SUMMARIES = "summaries";

export class ThreadDatabase {
  readonly #database: IDBDatabase;

  private constructor(database: IDBDatabase) {
    this.#database = database;
  }

  static async open(userId: number): Promise<ThreadDatabase> {
    const request = indexedDB.open(`modelgate-playground-${userId}`, VERSION);
    request.onupgradeneeded = () => {
      request.result.createObjectStore(THREADS, { keyPath: "id" });
      request.result.createObjectStore(SUMMARIES, { keyPath: "id" });
    };
    return new ThreadDatabase(await settled(request));
  }

  async list(): Promise<ThreadSummary[]> {
    const store = this.#database.transaction(SUMMARIES).objectStore(SUMMARIES);
    return settled(store.getAll() as IDBRequest<ThreadSummary[]>);
  }

  /** The thread; undefined when there is none, or when what is there cannot be read. */
  async get(id: string): Promise<Thread | undefined> {
    const store = this.#database.transaction(THREADS).objectStore(THREADS);
    const stored: unknown = await settled(store.get(id));
    const { readThread } = await import("./schema");
    return readThread(stored);
  }

  async put(threads: readonly Thread[]): Promise<void> {
    const transaction = this.#database.transaction([THREADS, SUMMARIES], "readwrite");
    for (const thread of threads) {
      transaction.objectStore(THREADS).put(thread);
      transaction.objectStore(SUMMARIES).put(summaryOf(thread));
    }
    await finished(transaction);
  }

  async delete(id: string): Promise<void> {
    const transaction = this.#database.transaction([THREADS, SUMMARIES], "readwrite");
    transaction.objectStore(THREADS).delete(id);
    transaction.objectStore(SUMMARIES).delete(id);
    await finished(transaction);
  }
}

function settled<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

function finished(transaction: IDBTransaction): Promise<void> {
  return new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve();
    transaction.onerror = () => reject(transaction.error);
    transaction.onabort = () => reject(transaction.error);
  });
}
