import type {
  DatabaseCredential,
  DatabaseAddress,
  DatabaseEngine,
} from "../../src/context/database-engine.js";
import type { DatabaseSource } from "../../src/store/rows.js";

type Work = Exclude<keyof DatabaseEngine, "getEndpoints" | "announce">;

interface ModelDatabase {
  /** Passwords by connection. */
  roles: Map<string, string>;
  data: string;
}

/** Error of a copy whose source was deleted before it started. */
export const nothingToCopy = "What is to be copied was deleted meanwhile";

/**
 * Databases as far as the API can distinguish them: their credentials and content. Work can be made to fail
 * or to wait. Dropping a database cancels its creation or restore, as the interface requires.
 */
export class ModelDatabases implements DatabaseEngine {
  readonly databases = new Map<string, ModelDatabase>();
  readonly backups = new Map<string, string>();
  /** The logins that were announced, in order. */
  readonly announced: (DatabaseCredential & { databaseId: string })[] = [];
  /** Roles by connection. */
  readonly #users = new Map<string, string>();
  readonly #failing = new Map<Work, Error>();
  readonly #held = new Map<Work, () => Promise<void>>();
  readonly #cancel = new Map<string, (reason: Error) => void>();

  /** Makes work of this kind fail. Returns a function that ends this. */
  fail(work: Work, error = new Error(`The database engine cannot ${work}`)): () => void {
    this.#failing.set(work, error);
    return () => this.#failing.delete(work);
  }

  /** Makes work of this kind wait until it is released. `begun` resolves when some is waiting. */
  hold(work: Work): { begun: Promise<void>; release: () => void } {
    let release = (): void => undefined;
    let begin = (): void => undefined;
    const begun = new Promise<void>((resolve) => (begin = resolve));
    const released = new Promise<void>((resolve) => (release = resolve));
    this.#held.set(work, () => {
      begin();
      return released;
    });
    return {
      begun,
      release: () => {
        this.#held.delete(work);
        release();
      },
    };
  }

  /** Returns the passwords that open the database, by connection; undefined when it does not exist. */
  passwords(databaseId: string): Record<string, string> | undefined {
    const database = this.databases.get(databaseId);
    return database && Object.fromEntries(database.roles);
  }

  /** Changes a password behind the server's back, or removes the login. */
  change(databaseId: string, connectionId: string, pass: string | undefined): void {
    const { roles } = this.#database(databaseId);
    if (pass === undefined) roles.delete(connectionId);
    else roles.set(connectionId, pass);
  }

  write(databaseId: string, data: string): void {
    this.#database(databaseId).data = data;
  }

  read(databaseId: string): string {
    return this.#database(databaseId).data;
  }

  getEndpoints(databaseId: string): Record<"direct" | "pooled" | "accelerate", DatabaseAddress> {
    const address = (port: number): DatabaseAddress => ({ host: "db.test", port, database: databaseId });
    return { direct: address(5432), pooled: address(6543), accelerate: address(8443) };
  }

  announce(databaseId: string, credentials: readonly DatabaseCredential[]): void {
    for (const credential of credentials) this.announced.push({ ...credential, databaseId });
  }

  async create(
    databaseId: string,
    source: DatabaseSource,
    credentials: readonly DatabaseCredential[],
    signal?: AbortSignal,
  ): Promise<void> {
    await this.#fill(databaseId, "create", signal);
    const roles = new Map(credentials.map(({ connectionId, pass }) => [connectionId, pass]));
    for (const { connectionId, user } of credentials) this.#users.set(connectionId, user);
    this.databases.set(databaseId, { roles, data: this.#dataOf(source) });
  }

  async drop(databaseId: string): Promise<void> {
    this.#cancel.get(databaseId)?.(new Error("dropped meanwhile"));
    await this.#work("drop");
    this.databases.delete(databaseId);
  }

  async restore(databaseId: string, backupId: string, signal?: AbortSignal): Promise<void> {
    await this.#fill(databaseId, "restore", signal);
    this.#database(databaseId).data = this.#dataOf({ type: "backup", databaseId, backupId });
  }

  async grant(databaseId: string, { connectionId, user, pass }: DatabaseCredential): Promise<void> {
    await this.#work("grant");
    const known = this.#users.get(connectionId) ?? user;
    if (user === "" || user !== known)
      throw new Error(`The role of ${connectionId} is ${known}, not ${user}`);
    this.#users.set(connectionId, user);
    this.#database(databaseId).roles.set(connectionId, pass);
  }

  async revoke(databaseId: string, connectionId: string): Promise<void> {
    await this.#work("revoke");
    this.#database(databaseId).roles.delete(connectionId);
  }

  async backup(databaseId: string, backupId: string): Promise<{ size: number }> {
    await this.#work("backup");
    const { data } = this.#database(databaseId);
    this.backups.set(backupId, data);
    return { size: data.length };
  }

  async dropBackup(backupId: string): Promise<void> {
    await this.#work("dropBackup");
    this.backups.delete(backupId);
  }

  async hasBackup(backupId: string): Promise<boolean> {
    await this.#work("hasBackup");
    return this.backups.has(backupId);
  }

  async readUsage(databaseId: string): Promise<{ bytes: number; operations: number }> {
    await this.#work("readUsage");
    return { bytes: 3 * 1024 ** 3, operations: this.#database(databaseId).roles.size * 100 };
  }

  async #work(work: Work): Promise<void> {
    await this.#held.get(work)?.();
    const error = this.#failing.get(work);
    if (error) throw error;
  }

  async #fill(databaseId: string, work: "create" | "restore", signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    const cancelled = new Promise<never>((_, reject) => {
      this.#cancel.set(databaseId, reject);
      signal?.addEventListener("abort", () => reject(new Error("canceled meanwhile")));
    });
    try {
      await Promise.race([this.#work(work), cancelled]);
    } finally {
      this.#cancel.delete(databaseId);
    }
  }

  #dataOf(source: DatabaseSource): string {
    if (source.type === "empty") return "";
    const data =
      source.type === "backup"
        ? this.backups.get(source.backupId)
        : this.databases.get(source.databaseId)?.data;
    if (data === undefined) throw new Error(nothingToCopy);
    return data;
  }

  #database(databaseId: string): ModelDatabase {
    const database = this.databases.get(databaseId);
    if (!database) throw new Error(`There is no database ${databaseId}`);
    return database;
  }
}
