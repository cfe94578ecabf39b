import { type TestType, test as base, expect } from "@playwright/test";
import type {
  PlaywrightTestArgs,
  PlaywrightTestOptions,
  PlaywrightWorkerArgs,
  PlaywrightWorkerOptions,
} from "@playwright/test";
import { type DatabaseTestOptions, resolveDatabaseTestOptions } from "./tests/kit-options.js";
import { type TestDatabase, TestDatabases } from "./tests/test-databases.js";

export type { DatabaseTestOptions, SetupContext } from "./tests/kit-options.js";
export type { TestDatabase } from "./tests/test-databases.js";
export { expect };

/** Fixtures of a test. */
export interface DatabaseFixtures {
  /** A Postgres database of the test's own. It is a copy of the template that the setup has filled. */
  database: TestDatabase;
}

/**
 * Returns Playwright's `test` with a Postgres database for each test that uses the fixture `database`. Each retry gets a database of its
 * own. All workers and projects of this user share one server, which starts when it is needed, and ends five minutes after the last run.
 *
 * @param options the options of the databases.
 * @throws TypeError for an option that does not exist or is not valid. A test fails with a `PlatformError` if it gets no database.
 */
export const createDatabaseTest = (
  options: DatabaseTestOptions = {},
): TestType<
  PlaywrightTestArgs & PlaywrightTestOptions & DatabaseFixtures,
  PlaywrightWorkerArgs & PlaywrightWorkerOptions
> => {
  const databases = new TestDatabases(resolveDatabaseTestOptions(options));
  return base.extend<DatabaseFixtures>({
    // Playwright requires a pattern here.
    database: async ({}, use, testInfo) => {
      const database = await databases.take();
      await use(database);
      const note = await databases.release(database, {
        hasFailed: testInfo.status !== testInfo.expectedStatus,
      });
      if (note !== undefined) console.log(`The database of "${testInfo.title}" remains: ${note}`);
    },
  });
};
