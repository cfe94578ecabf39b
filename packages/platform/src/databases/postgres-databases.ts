import type { Credential, DatabaseAddress, DatabaseEngine, DatabaseSource } from "@mgmt/engine";
import { type Admin, identifier } from "./admin.js";
import type { Copies } from "./copies.js";
import type { Logins } from "./logins.js";
import { backupName, backupSuffix, databaseName, makingName, ownerOf, replacedName } from "./names.js";
import type { Spares } from "./spares.js";
import { Turns } from "./turns.js";

/** Why work on a database ended early: the database was dropped meanwhile. */
export class DatabaseDropped extends Error {}

/**
 * Real Postgres databases behind the API's records. All endpoints of a database lead to the same server.
 *
 * A database with the name of its id exists only when it is complete: it is filled under another name, and gets its own
 * in one transaction with its roles.
 */
export class PostgresDatabases implements DatabaseEngine {
  readonly #admin: Admin;
  readonly #copies: Copies;
  readonly #logins: Logins;
  readonly #spares: Spares;
  readonly #port: number;
  readonly #turns = new Turns();
  /** What a drop of a database cuts short. */
  readonly #fillings = new Map<string, Set<AbortController>>();

  constructor(parts: { admin: Admin; copies: Copies; logins: Logins; spares: Spares; port: number }) {
    this.#admin = parts.admin;
    this.#copies = parts.copies;
    this.#logins = parts.logins;
    this.#spares = parts.spares;
    this.#port = parts.port;
  }

  endpoints(databaseId: string): Record<"direct" | "pooled" | "accelerate", DatabaseAddress> {
    const address = { host: "127.0.0.1", port: this.#port, database: databaseName(databaseId) };
    return { direct: address, pooled: address, accelerate: address };
  }

  /** @throws DatabaseDropped when the database is dropped before it is complete. */
  async create(
    databaseId: string,
    source: DatabaseSource,
    credentials: readonly Credential[],
  ): Promise<void> {
    const name = databaseName(databaseId);
    const sources = source.type === "empty" ? [] : [databaseName(source.databaseId)];
    await this.#fill(name, sources, async (signal) => {
      if (await this.#exists(name)) {
        for (const credential of credentials) await this.#logins.grant(name, credential);
        return;
      }
      const filled = await this.#filled(name, source, signal);
      try {
        signal.throwIfAborted();
        await this.#complete(filled, name, credentials);
      } catch (error) {
        await this.#copies.drop(filled);
        throw error;
      }
    });
  }

  async drop(databaseId: string): Promise<void> {
    const name = databaseName(databaseId);
    for (const filling of this.#fillings.get(name) ?? []) filling.abort(new DatabaseDropped(databaseId));
    await this.#turns.take([name], async () => {
      await this.#copies.drop(name);
      for (const backup of await this.#databasesLike(`${name}.%`)) await this.#copies.drop(backup);
      await this.#logins.dropAll(name);
      if (await this.#roleExists(name)) await this.#copies.dropRole(name);
    });
  }

  /**
   * Fills a new database beside the old one and exchanges them: sessions end at the exchange.
   *
   * @throws DatabaseDropped when the database is dropped before the exchange.
   */
  async restore(databaseId: string, backupId: string): Promise<void> {
    const name = databaseName(databaseId);
    const backup = await this.#findBackup(backupId);
    const making = makingName(name);
    await this.#fill(name, [ownerOf(backup)], async (signal) => {
      for (const leftover of [making, replacedName(name)]) await this.#copies.drop(leftover);
      try {
        await this.#copies.copy(backup, making, signal);
        await this.#copies.handOver(making, name);
        await this.#copies.copySettings(name, making, "setrole <> 0");
        signal.throwIfAborted();
        await this.#exchange(name, making);
      } finally {
        await this.#copies.drop(making);
      }
      await this.#copies.drop(replacedName(name));
    });
  }

  async grant(databaseId: string, credential: Credential): Promise<void> {
    const name = databaseName(databaseId);
    await this.#turns.take([name], () => this.#logins.grant(name, credential));
  }

  async revoke(databaseId: string, connectionId: string): Promise<void> {
    await this.#turns.take([databaseName(databaseId)], () => this.#logins.revoke(connectionId));
  }

  async backup(databaseId: string, backupId: string): Promise<{ size: number }> {
    const name = databaseName(databaseId);
    const backup = backupName(databaseId, backupId);
    return this.#turns.take([name], async () => {
      if (!(await this.#exists(backup))) await this.#copies.copy(name, backup);
      return { size: await this.#size(backup) };
    });
  }

  async dropBackup(backupId: string): Promise<void> {
    for (const backup of await this.#databasesLike(`%${backupSuffix(backupId)}`)) {
      await this.#turns.take([ownerOf(backup)], () => this.#copies.drop(backup));
    }
  }

  /** Operations are transactions here; Postgres counts them anew after a restore and after a crash. */
  async usage(databaseId: string): Promise<{ bytes: number; operations: number }> {
    const name = databaseName(databaseId);
    const [row] = await this.#admin.query<{ operations: string }>(
      "select xact_commit + xact_rollback as operations from pg_stat_database where datname = $1",
      [name],
    );
    return { bytes: await this.#size(name), operations: Number(row?.operations ?? 0) };
  }

  async #fill(
    name: string,
    sources: readonly string[],
    work: (signal: AbortSignal) => Promise<void>,
  ): Promise<void> {
    const filling = new AbortController();
    const others = this.#fillings.get(name) ?? new Set();
    this.#fillings.set(name, others.add(filling));
    try {
      await this.#turns.take([name, ...sources], async () => {
        filling.signal.throwIfAborted();
        await work(filling.signal);
      });
    } finally {
      others.delete(filling);
      if (others.size === 0) this.#fillings.delete(name);
    }
  }

  /** @returns the name of a database that has the content, and that nobody can connect to. */
  async #filled(name: string, source: DatabaseSource, signal: AbortSignal): Promise<string> {
    if (source.type === "empty") return this.#spares.take();
    const making = makingName(name);
    await this.#copies.drop(making);
    const from =
      source.type === "backup" ? await this.#findBackup(source.backupId) : databaseName(source.databaseId);
    await this.#copies.copy(from, making, signal);
    return making;
  }

  /** The role comes first, since what is in a copy must be handed over to it before anybody can connect. */
  async #complete(filled: string, name: string, credentials: readonly Credential[]): Promise<void> {
    if (!(await this.#roleExists(name)))
      await this.#admin.script([`create role ${identifier(name)} nologin`]);
    await this.#logins.dropAll(name);
    await this.#copies.handOver(filled, name);
    await this.#admin.script([
      `alter database ${identifier(filled)} rename to ${identifier(name)}`,
      ...(await this.#logins.statements(name, credentials)),
      ...openTo(name),
    ]);
    for (const credential of credentials) this.#logins.remember(credential);
  }

  async #exchange(name: string, making: string): Promise<void> {
    await this.#admin.script([`alter database ${identifier(name)} allow_connections false`]);
    try {
      await this.#admin.whileUnused(name, () =>
        this.#admin.script([
          `alter database ${identifier(name)} rename to ${identifier(replacedName(name))}`,
          `alter database ${identifier(making)} rename to ${identifier(name)}`,
          ...openTo(name),
        ]),
      );
    } catch (error) {
      await this.#admin.script([`alter database ${identifier(name)} allow_connections true`]);
      throw error;
    }
  }

  async #findBackup(backupId: string): Promise<string> {
    const [name] = await this.#databasesLike(`%${backupSuffix(backupId)}`);
    if (name === undefined) throw new Error(`There is no backup ${backupId}`);
    return name;
  }

  async #databasesLike(pattern: string): Promise<string[]> {
    const rows = await this.#admin.query<{ name: string }>(
      "select datname as name from pg_database where datname like $1",
      [pattern.replaceAll("_", "\\_")],
    );
    return rows.map(({ name }) => name);
  }

  async #exists(name: string): Promise<boolean> {
    return (await this.#admin.query("select from pg_database where datname = $1", [name])).length > 0;
  }

  async #roleExists(name: string): Promise<boolean> {
    return (await this.#admin.query("select from pg_roles where rolname = $1", [name])).length > 0;
  }

  async #size(name: string): Promise<number> {
    const [row] = await this.#admin.query<{ size: string }>(
      "select pg_database_size(datname) as size from pg_database where datname = $1",
      [name],
    );
    if (row === undefined) throw new Error(`There is no Postgres database ${name}`);
    return Number(row.size);
  }
}

/** The owner's members may connect, and nobody else. */
const openTo = (name: string): string[] => [
  `alter database ${identifier(name)} owner to ${identifier(name)}`,
  `revoke all on database ${identifier(name)} from public`,
  `alter database ${identifier(name)} allow_connections true`,
];
