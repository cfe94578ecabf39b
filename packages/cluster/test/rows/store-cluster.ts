import { MemoryStore, type StoreState, collectionNames, replay } from "@mgmt/engine/internal";
import { Pool } from "pg";
import { afterAll, beforeAll, expect, vi } from "vitest";
import type { DatabaseAddress } from "../../src/policy/address.js";
import { type OpenRecords, openRecords } from "../../src/rows/open-records.js";
import { PostgresStorageAdapter } from "../../src/rows/postgres-storage-adapter.js";
import { migrateSchema } from "../../src/rows/migrate.js";
import { readAllTables, replaceAllTables } from "../../src/rows/all-tables.js";
import { RowCodec } from "../../src/rows/row-codec.js";
import type { OpenStore } from "../../../engine/test/store/store-under-test.js";
import { installation } from "../../../platform/test/installation.js";
import { Cluster, adminPassword } from "../../../platform/test/cluster.js";
import { createTestKeys } from "./record-keys.js";

/** A Postgres server with a database for records, shared by all tests of a file. */
export class StoreCluster {
  readonly #cluster = new Cluster();
  readonly #free: string[] = [];
  #schemas = 0;
  #pool: Pool | undefined;

  constructor() {
    beforeAll(async () => {
      if (!this.#cluster.isShared) {
        const admin = await this.#cluster.connectAsAdmin("postgres");
        await admin.query("create database records template template0");
        await admin.query("revoke all on database records from public");
      }
      this.#pool = this.openPool();
    });
    afterAll(() => this.#pool?.end());
  }

  get pool(): Pool {
    if (this.#pool === undefined) throw new Error("The cluster is not running");
    return this.#pool;
  }

  get #user(): string {
    return this.#cluster.policy.address.user;
  }

  /** Opens connections as another process does. */
  openPool(): Pool {
    const pool = new Pool({
      ...{ host: "127.0.0.1", port: this.#cluster.server.port, user: this.#user, password: adminPassword },
      ...{ database: "records", max: 10 },
    });
    // A test may end the sessions.
    pool.on("error", () => undefined);
    return pool;
  }

  /** Returns the name of a schema that does not exist. */
  newSchema(): string {
    this.#schemas += 1;
    return `records_${String(this.#schemas)}`;
  }

  /** How to connect to the database of the records. */
  get address(): DatabaseAddress {
    const { port } = this.#cluster.server;
    return { host: "127.0.0.1", port, user: this.#user, password: adminPassword, database: "records" };
  }

  /** Opens the records of a schema as another process does. */
  openRecords(
    schema: string,
    keys = createTestKeys(),
    onLog: (line: string) => void = () => undefined,
  ): Promise<OpenRecords> {
    return openRecords(this.address, { schema, keys, onLog });
  }

  /** Creates a schema that has the tables of the records. */
  async makeSchema(): Promise<string> {
    const schema = this.newSchema();
    const client = await this.pool.connect();
    await migrateSchema(client, schema);
    client.release();
    return schema;
  }

  /** Returns the transactions on an existing schema, which use the connections of a pool. Default: those of the tests. */
  storage(schema: string, pool = this.pool): PostgresStorageAdapter {
    return new PostgresStorageAdapter(pool, schema, {
      installation,
      commitCheckTimeoutMs: 10_000,
      writeLockOptions: { maxConcurrent: 8, acquireTimeoutMs: 10_000 },
      keys: createTestKeys(),
      onAltered: () => undefined,
    });
  }

  /** Resolves when a session waits for an advisory lock that another one holds. */
  async untilWaiting(): Promise<void> {
    await vi.waitFor(
      async () => {
        const { rowCount } = await this.pool.query(
          "select from pg_locks where locktype = 'advisory' and not granted",
        );
        expect(rowCount).toBeGreaterThan(0);
      },
      { interval: 20 },
    );
  }

  /** Opens a store for the conformance suite, in a schema of its own. */
  readonly open: OpenStore = async (state) => {
    const schema = this.#free.pop() ?? (await this.#makeUnguarded());
    await this.#fill(schema, state ?? new MemoryStore().state);
    const storage = this.storage(schema);
    return {
      run: (step) =>
        replay(storage, ({ tables }) => step(tables.store), {
          transactionOptions: { mode: "write", locks: [] },
          isRejection: () => false,
        }),
      state: async () => {
        const client = await this.pool.connect();
        const tables = await readAllTables(client, schema, new RowCodec(createTestKeys()));
        client.release();
        // The tables have the rows of every collection.
        return Object.fromEntries(
          collectionNames.map((name) => [name, tables[name]]),
        ) as unknown as StoreState;
      },
      close: () => Promise.resolve(void this.#free.push(schema)),
    };
  };

  /** The suite's rows break rules of the API, which unique indexes guard. */
  async #makeUnguarded(): Promise<string> {
    const schema = await this.makeSchema();
    const { rows } = await this.pool.query<{ name: string }>(
      `select indexrelid::regclass::text as name from pg_index join pg_class on oid = indrelid
        where relnamespace = $1::regnamespace and indisunique
          and not exists (select from pg_constraint where conindid = indexrelid)`,
      [schema],
    );
    await this.pool.query(rows.map(({ name }) => `drop index ${name}`).join(";\n"));
    return schema;
  }

  async #fill(schema: string, state: StoreState): Promise<void> {
    const client = await this.pool.connect();
    await client.query("begin");
    await replaceAllTables(client, schema, new RowCodec(createTestKeys()), state);
    await client.query("commit");
    client.release();
  }
}
