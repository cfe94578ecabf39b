import { type TestAPI, test as base } from "vitest";
import { type DatabaseTestOptions, resolveDatabaseTestOptions } from "./tests/kit-options.js";
import { type TestDatabase, TestDatabases } from "./tests/test-databases.js";

export type { DatabaseTestOptions, SetupContext } from "./tests/kit-options.js";
export type { TestDatabase } from "./tests/test-databases.js";

/** Fixtures of a test. */
export interface DatabaseFixtures {
  /** A Postgres database of the test's own. It is a copy of the template that the setup has filled. */
  database: TestDatabase;
}

/**
 * Returns Vitest's `test` with a Postgres database for each test that uses the fixture `database`. It is safe with `test.concurrent` and
 * `retry`: each try gets a database of its own. All workers and projects of this user share one server, which starts when it is needed, and
 * ends five minutes after the last run.
 *
 * @param options the options of the databases.
 * @throws TypeError for an option that does not exist or is not valid. A test fails with a `PlatformError` if it gets no database.
 */
export const createDatabaseTest = (options: DatabaseTestOptions = {}): TestAPI<DatabaseFixtures> => {
  const databases = new TestDatabases(resolveDatabaseTestOptions(options));
  return base.extend<DatabaseFixtures>({
    database: async ({ task }, use) => {
      const database = await databases.take();
      await use(database);
      const note = await databases.release(database, { hasFailed: task.result?.state === "fail" });
      if (note !== undefined) console.log(`The database of "${task.name}" remains: ${note}`);
    },
  });
};
