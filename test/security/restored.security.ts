import { Client } from "pg";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { type OpenDatabases, openDatabases } from "@mgmt/cluster/open-databases";
import { findApiDatabases, findDiscardedIds } from "@mgmt/cluster/repair/api-databases";
import { createSharedCluster } from "@mgmt/cluster/policy/shared-cluster";
import { buildStoreInstallationStatement } from "@mgmt/cluster/rows/migrate";
import { migrations } from "@mgmt/cluster/rows/migrations";
import { buildSchemaStatements } from "@mgmt/cluster/rows/new-schema";
import { openRecords } from "@mgmt/cluster/rows/open-records";
import { recordsSchema } from "@mgmt/cluster/rows/records-location";
import { RowCodec } from "@mgmt/cluster/rows/row-codec";
import { createTestKeys } from "../../packages/cluster/test/rows/record-keys.js";
import { Cluster, adminPassword, newTenant } from "../../packages/platform/test/cluster.js";
import { installation, platformRole } from "../../packages/platform/test/installation.js";

// A service that starts with records that do not fit its databases, on a cluster that others also use.

const user = "renter";
const cluster = new Cluster({}, { user });
const keys = createTestKeys();

/** Runs statements, as the superuser unless a user is named. Returns the rows of the last one. */
const run = async <Row extends object>(
  database: string,
  statements: readonly string[],
  as = "postgres",
  values: readonly unknown[] = [],
): Promise<Row[]> => {
  const { port } = cluster.options;
  const client = new Client({ host: "127.0.0.1", port, user: as, password: adminPassword, database });
  await client.connect();
  try {
    let rows: Row[] = [];
    for (const statement of statements) ({ rows } = await client.query<Row>(statement, [...values]));
    return rows;
  } finally {
    await client.end();
  }
};

/** Does work while the service runs with the records in a schema. */
const whileRunning = async <T>(
  work: (databases: OpenDatabases) => Promise<T> | T,
  schema = recordsSchema,
): Promise<T> => {
  const { port } = cluster.options;
  const address = { host: "127.0.0.1", port, user, password: adminPassword, database: "records" };
  const records = await openRecords(address, { keys, schema });
  try {
    const queries = {
      query: <Row extends object>(text: string, values?: readonly unknown[]) =>
        run<Row>("records", [text], user, values),
    };
    const databases = await openDatabases(
      createSharedCluster(address, cluster.policy.major, records.installation),
      () => findApiDatabases(queries, schema, keys),
      {
        ...{ schema, findDiscardedIds: () => findDiscardedIds(queries, schema) },
        others: { sessions: records.sessions, listServerIds: () => Promise.resolve([]) },
      },
    );
    try {
      return await work(databases);
    } finally {
      await databases.close();
    }
  } finally {
    await records.close();
  }
};

type Tenant = ReturnType<typeof newTenant>;

/** Creates a database with a row, and records it. */
const addTenant = async ({ engine }: OpenDatabases): Promise<Tenant> => {
  const tenant = newTenant();
  const { id, credential } = tenant;
  await engine.create(id, { type: "empty" }, [credential]);
  await queryAs(tenant, "create table kept as select 1 as id");
  const codec = new RowCodec(keys);
  const insert = (table: string, rowId: string, row: object): string =>
    `insert into ${recordsSchema}.${table} (id, doc) values ('${rowId}', '${codec.encode(table, { id: rowId, createdAt: 1, ...row })}')`;
  const { connectionId, user: login, pass } = credential;
  await run(
    "records",
    [
      insert("databases", id, { made: true, status: "ready" }),
      insert("connections", connectionId, { databaseId: id, user: login, pass }),
    ],
    user,
  );
  return tenant;
};

const queryAs = async ({ id, credential }: Tenant, statement: string): Promise<object[]> => {
  const { user: login, pass } = credential;
  const client = new Client({
    host: "127.0.0.1",
    port: cluster.options.port,
    user: login,
    password: pass,
    database: id,
  });
  await client.connect();
  try {
    return (await client.query<object>(statement)).rows;
  } finally {
    await client.end();
  }
};

/** Returns the databases, without that of the records, and the roles, as the catalogs have them. */
const readCluster = (): Promise<object[]> =>
  run("postgres", [
    `select (to_jsonb(d) - 'datfrozenxid' - 'datminmxid')::text as row from pg_database d where datname not in ('records', 'saved')
      union all select to_jsonb(r)::text || coalesce(shobj_description(r.oid, 'pg_authid'), '') from pg_authid r order by 1`,
  ]);

const copyDatabase = (from: string, to: string): Promise<object[]> =>
  run("postgres", [
    `drop database if exists ${to}`,
    `create database ${to} template ${from} owner ${user}`,
    `revoke all on database ${to} from public`,
  ]);

const tenants: Tenant[] = [];

beforeAll(async () => {
  await cluster.closeDatabases();
  await run(
    "records",
    [
      ...buildSchemaStatements(recordsSchema),
      buildStoreInstallationStatement(recordsSchema, installation.keys),
    ],
    user,
  );
  await whileRunning(async (databases) => {
    for (let count = 0; count < 3; count += 1) tenants.push(await addTenant(databases));
  });
});

const expectAllData = async (): Promise<void> => {
  for (const tenant of tenants) expect(await queryAs(tenant, "select id from kept")).toEqual([{ id: 1 }]);
};

interface WrongRecords {
  readonly title: string;
  /** What has happened to the records. */
  readonly statements: readonly string[];
  /** What puts back what is not in the records. */
  readonly undo?: string;
  readonly schema?: string;
  readonly error: { readonly code?: string; readonly name?: string };
  /** What the message or the hint says. */
  readonly advice: RegExp;
}

const table = (name: string): string => `${recordsSchema}.${name}`;

const wrongRecords: readonly WrongRecords[] = [
  {
    title: "restored to an earlier start",
    statements: [`update ${table("installation")} set starts = starts - 1`],
    error: { code: "cluster:records_outdated" },
    advice: /Restore the latest records.*run: COMMENT ON ROLE/,
  },
  {
    title: "without rows",
    statements: [`delete from ${table("databases")}`, `delete from ${table("connections")}`],
    error: { code: "cluster:databases_unrecorded" },
    advice: /do not contain 3 of the 3 databases.*Restore the latest records/s,
  },
  {
    title: "without the installation",
    statements: [`delete from ${table("installation")}`],
    error: { code: "cluster:records_incomplete" },
    advice: /Restore the records from a backup/,
  },
  {
    title: "in a schema that was dropped",
    statements: [`drop schema ${recordsSchema} cascade`],
    error: { code: "cluster:other_installation" },
    advice: /Correct the database and the schema of the records, or restore them/,
  },
  {
    title: "of a newer version",
    statements: [`insert into ${table("migrations")} values (${String(migrations.length + 1)})`],
    error: { name: "NewerSchemaError" },
    advice: /this program supports up to/,
  },
  {
    title: "in a schema whose name was mistyped",
    statements: [],
    schema: "mgnt",
    error: { code: "cluster:other_installation" },
    advice: /Correct the database and the schema of the records/,
  },
  {
    title: "moved to another cluster, which does not have the role of the installation",
    statements: [`alter role "${platformRole}" rename to elsewhere`],
    undo: `alter role elsewhere rename to "${platformRole}"`,
    error: { code: "cluster:records_outdated" },
    advice: /Correct the address of Postgres, or restore the whole cluster/,
  },
];

describe("restored records", () => {
  it.each(wrongRecords.map((wrong) => [wrong.title, wrong] as const))(
    "are refused with what to do, and no database is changed: %s",
    async (_, { statements, undo, schema, error, advice }) => {
      await copyDatabase("records", "saved");
      await run("records", statements);
      const before = await readCluster();
      const refusal: unknown = await whileRunning(() => undefined, schema).catch((reason: unknown) => reason);
      expect(refusal).toMatchObject(error);
      const { message, hint = "" } = refusal as Error & { hint?: string };
      expect(`${message}\n${hint}`).toMatch(advice);
      expect(await readCluster()).toEqual(before);
      await expectAllData();
      // The control: the latest records are accepted.
      if (undo !== undefined) await run("postgres", [undo]);
      await copyDatabase("saved", "records");
      await whileRunning(expectAllData);
    },
  );

  it("close and keep what they do not contain once they are accepted, until a start with the latest ones", async () => {
    await copyDatabase("records", "yesterday");
    const today = await whileRunning(addTenant);
    await copyDatabase("records", "today");
    const before = (await cluster.namesIn("datname", "db_")).length;
    await copyDatabase("yesterday", "records");
    const error: unknown = await whileRunning(() => undefined).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: "cluster:records_outdated" });
    const [, acceptStatement = ""] = /run: (COMMENT .*)$/.exec((error as { hint: string }).hint) ?? [];
    await run("postgres", [acceptStatement]);
    const problems = await whileRunning((databases) => databases.problems);
    const [keptName = ""] = await cluster.namesIn("datname", installation.retainedNamePrefix);
    expect(problems.join("\n")).toContain(
      `${today.id} is not in the records. Nobody can connect to it. It is kept as ${keptName}`,
    );
    await expect(queryAs(today, "select")).rejects.toThrow();
    await expect(queryAs({ ...today, id: keptName }, "select")).rejects.toThrow(
      "not currently accepting connections",
    );
    expect(await cluster.namesIn("datname", "db_")).toHaveLength(before);
    await expectAllData();

    await copyDatabase("today", "records");
    tenants.push(today);
    // A start among several processes opens databases after it has answered.
    await whileRunning(() => vi.waitFor(expectAllData, { timeout: 10_000 }));
  });
});
