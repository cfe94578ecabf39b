import { runReadTransaction } from "../control/run-transaction.js";
import { Defaults } from "../control/defaults.js";
import type { StoredJob } from "../jobs/stored-job.js";
import { RandomIds } from "../values/random-ids.js";
import type { OperationContext } from "../context/operation-context.js";
import { createInitialTables } from "./initial-tables.js";
import { Server } from "./server.js";
import { StoredBackend, type StoredServerOptions } from "./stored-backend.js";

/** The resources that a new server starts with. */
export type DefaultResources = Pick<
  Defaults,
  "workspace" | "user" | "serviceToken" | "otherWorkspace" | "otherUser"
>;

/** A reference server with its rows in a database that survives it, and that other servers may share. */
export class StoredServer extends Server<"async"> {
  /** Whether no server had used the records before. */
  readonly isNew: boolean;
  readonly #backend: StoredBackend;

  private constructor(options: StoredServerOptions, backend: StoredBackend, isNew: boolean) {
    super(backend, { ...options, requestIdPrefix: `req_${new RandomIds(null).generateLabel(10)}_` });
    this.#backend = backend;
    this.isNew = isNew;
  }

  /**
   * Opens the server of the records, and creates its state if no server has used them. Jobs run after `start`.
   *
   * @throws DatabaseUnavailableError when the records cannot be reached; Error when `snapshot` or `initial` is not a snapshot.
   */
  static async open(options: StoredServerOptions): Promise<StoredServer> {
    const isNew = await options.records.fillEmptyTables(createInitialTables(options));
    const backend = new StoredBackend(options);
    await backend.refresh();
    return new StoredServer(options, backend, isNew);
  }

  /** Runs a synchronous callback that changes nothing, on one snapshot of the rows. */
  read<T>(callback: (context: OperationContext) => T): Promise<T> {
    return runReadTransaction(this.#backend.getContextForControl(), callback);
  }

  /** Runs a synchronous callback in a transaction. It may run more than once. */
  write<T>(locks: readonly string[], callback: (context: OperationContext) => T): Promise<T> {
    return this.#backend.getContextForControl().transact({ mode: "write", locks }, callback);
  }

  /** Returns what a new server starts with. Throws a `ControlError` when a part of it was deleted. */
  readDefaults(): Promise<DefaultResources> {
    return this.read((context) => {
      const { workspace, user, serviceToken, otherWorkspace, otherUser } = new Defaults(() => context);
      return { workspace, user, serviceToken, otherWorkspace, otherUser };
    });
  }

  /** Stores the current state, which `reset` restores. */
  saveStateAsInitial(): Promise<void> {
    return this.#backend.saveStateAsInitial();
  }

  /** Runs the jobs of these rows now, even before `start`. Resolves when they have succeeded or failed. Skips dead jobs. */
  async finishJobs(rowIds: readonly string[]): Promise<void> {
    await Promise.all(rowIds.map((rowId) => this.#backend.finishJobs(rowId)));
  }

  /** Returns the jobs that wait, run, or are dead, in the order in which they were scheduled. */
  listJobs(): Promise<StoredJob[]> {
    return this.#backend.listJobs();
  }

  /**
   * Runs failed jobs again soon, in any process, as if they had not failed.
   *
   * @param ids the ids of jobs. Jobs that have not failed, and jobs of running processes, are left as they are. Default: all dead ones.
   * @returns the ids of the jobs that run again.
   */
  retryJobs(ids?: readonly string[]): Promise<string[]> {
    return this.#backend.retryJobs(ids);
  }
}
