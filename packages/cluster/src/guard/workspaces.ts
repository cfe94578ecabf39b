import { setTimeout as sleep } from "node:timers/promises";
import { toDatabaseName, toTenantDatabaseName } from "../policy/names.js";

/** Returns the workspace of each database by the id of the database. */
export type ReadWorkspaces = () => Promise<ReadonlyMap<string, string>>;

/** How long the workspaces that were read are used, in milliseconds: a project can be transferred to another workspace. */
const lifetimeMs = 60_000;

/** How long to wait for the records, in milliseconds. */
const maxWaitMs = 1_000;

/** A cache of the workspaces of databases, for times when the records cannot be read. */
export class Workspaces {
  readonly #read: ReadWorkspaces | undefined;
  /** Workspaces by name of the database. The database's own name if the records do not have it. */
  readonly #workspaces = new Map<string, string>();
  #expiresAt = 0;
  #pendingRead: Promise<void> | undefined;

  /** @param read default: each database has a workspace of its own. */
  constructor(read: ReadWorkspaces | undefined) {
    this.#read = read;
  }

  /** Returns the workspace of a database, a backup, or an unfinished copy. One that is not known has a workspace of its own. */
  get(name: string): string {
    const database = toTenantDatabaseName(name);
    return this.#workspaces.get(database) ?? database;
  }

  /** Reads the workspaces, unless the workspaces of all these databases are known. Waits for a second at most. */
  async load(names: readonly string[]): Promise<void> {
    const databases = names.map(toTenantDatabaseName);
    const areKnown = databases.every((name) => this.#workspaces.has(name));
    if (this.#read === undefined || (areKnown && performance.now() < this.#expiresAt)) return;
    this.#pendingRead ??= this.#readAll(this.#read).finally(() => (this.#pendingRead = undefined));
    await Promise.race([this.#pendingRead, sleep(maxWaitMs, undefined, { ref: false })]);
    // The next check does not read these again, if the records do not have them.
    for (const name of databases) if (!this.#workspaces.has(name)) this.#workspaces.set(name, name);
  }

  async #readAll(read: ReadWorkspaces): Promise<void> {
    // If the records cannot be read, the cached workspaces are used.
    const workspaces = await read().catch(() => undefined);
    if (workspaces === undefined) return;
    this.#expiresAt = performance.now() + lifetimeMs;
    this.#workspaces.clear();
    for (const [id, workspace] of workspaces) this.#workspaces.set(toDatabaseName(id), workspace);
  }
}
