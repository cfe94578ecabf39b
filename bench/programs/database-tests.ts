import { setTimeout as sleep } from "node:timers/promises";
import { createTestDatabases } from "@mgmt/platform/test-databases";
import pg from "pg";
import { answer } from "./answer.js";
import { fillTemplate } from "./fill-template.js";

/** One worker of a test run: tests one after the other, each with a database. It answers `DatabaseTestResult`. */
export interface DatabaseTests {
  /** How tests get their databases. */
  readonly kind: "mgmt" | "template" | "transaction";
  readonly worker: number;
  readonly testCount: number;
  /** Duration of a test, in milliseconds. */
  readonly testMs: number;
  /** Connection string of the superuser, and the database of the template, where Postgres was started by hand. */
  readonly adminUrl?: string;
  readonly template?: string;
}

/** All times are in milliseconds. */
export interface DatabaseTestResult {
  /** How long each test has waited for its database. */
  readonly waits: readonly number[];
  /** How long all tests but the first took. */
  readonly durationMs: number;
}

const connect = async (connectionString: string): Promise<pg.Client> => {
  const client = new pg.Client({ connectionString });
  client.on("error", () => undefined);
  await client.connect();
  return client;
};

const useDatabase = async (client: pg.Client, worker: number): Promise<void> => {
  await client.query("insert into item_1 values (1000000 + $1, 'own')", [worker]);
  const { rows } = await client.query<{ count: string }>("select count(*) from item_1");
  if (rows[0]?.count !== "1201") throw new Error("The test sees rows of another one");
};

/** Returns how long a test has waited. */
type RunTest = (work: (client: pg.Client) => Promise<void>) => Promise<number>;

const createRunner = async ({
  kind,
  worker,
  adminUrl = "",
  template = "",
}: DatabaseTests): Promise<RunTest> => {
  if (kind === "mgmt") {
    const databases = createTestDatabases({
      setup: ({ connectionString }) => fillTemplate(connectionString),
      key: "60 tables",
    });
    return async (work) => {
      const started = performance.now();
      const database = await databases.take();
      const waitedMs = performance.now() - started;
      const client = await connect(database.connectionString);
      await work(client);
      await client.end();
      await databases.release(database);
      return waitedMs;
    };
  }
  const admin = await connect(adminUrl);
  const toUrl = (database: string): string =>
    Object.assign(new URL(adminUrl), { pathname: `/${database}` }).href;
  if (kind === "template") {
    let count = 0;
    return async (work) => {
      const name = `test_${String(worker)}_${String((count += 1))}`;
      const started = performance.now();
      await admin.query(`create database ${name} template ${template}`);
      const waitedMs = performance.now() - started;
      const client = await connect(toUrl(name));
      await work(client);
      await client.end();
      await admin.query(`drop database ${name} with (force)`);
      return waitedMs;
    };
  }
  await admin.query(`create database worker_${String(worker)} template ${template}`);
  const client = await connect(toUrl(`worker_${String(worker)}`));
  return async (work) => {
    const started = performance.now();
    await client.query("begin");
    const waitedMs = performance.now() - started;
    await work(client);
    await client.query("rollback");
    return waitedMs;
  };
};

await answer(async (tests: DatabaseTests): Promise<DatabaseTestResult> => {
  const runTest = await createRunner(tests);
  const waits: number[] = [];
  let startedAt = 0;
  for (let count = 0; count < tests.testCount; count += 1) {
    waits.push(
      await runTest(async (client) => {
        await useDatabase(client, tests.worker);
        await sleep(tests.testMs);
      }),
    );
    if (count === 0) startedAt = performance.now();
  }
  return { waits, durationMs: performance.now() - startedAt };
});
