import { expect, test as jestTest } from "@jest/globals";
import { type JestTest, type JestTestBody, createJestTest } from "@mgmt/internal/testing/jest-test";
import { type DatabaseTestOptions, resolveDatabaseTestOptions } from "./tests/kit-options.js";
import { type TestDatabase, TestDatabases } from "./tests/test-databases.js";

export type { DatabaseTestOptions, SetupContext } from "./tests/kit-options.js";
export type { TestDatabase } from "./tests/test-databases.js";

/** What a test gets. */
export interface DatabaseContext {
  /** A Postgres database of the test's own. It is a copy of the template that the setup has filled. */
  readonly database: TestDatabase;
}

/** The body of a test. `row` has the values of `test.each`. */
export type DatabaseTestBody<Row extends readonly unknown[] = []> = JestTestBody<DatabaseContext, Row>;

/** Jest's `test`, whose body gets a `DatabaseContext`. */
export interface DatabaseTest extends JestTest<DatabaseContext> {
  /** Wraps the body of a test, for Jest functions that this one does not have: `test.each(rows)("…", withDatabase(({ database }, row) => …))`. */
  withDatabase<Row extends readonly unknown[]>(body: DatabaseTestBody<Row>): (...row: Row) => Promise<void>;
}

const runWithDatabase = async (
  databases: TestDatabases,
  name: string,
  body: (context: DatabaseContext) => void | Promise<void>,
  { mustFail = false } = {},
): Promise<void> => {
  const database = await databases.take();
  let hasFailed = true;
  try {
    await body({ database });
    hasFailed = false;
  } finally {
    const note = await databases.release(database, { hasFailed: hasFailed !== mustFail });
    // `console` of Jest would add a stack.
    if (note !== undefined) process.stderr.write(`The database of "${name}" remains: ${note}\n`);
  }
};

/**
 * Returns Jest's `test` with a Postgres database for each test. It is safe with `test.concurrent` and `jest.retryTimes`: each try gets a
 * database of its own. All workers and projects of this user share one server, which starts when it is needed, and ends five minutes after
 * the last run.
 *
 * @param options the options of the databases.
 * @throws TypeError for an option that does not exist or is not valid. A test fails with a `PlatformError` if it gets no database.
 */
export const createDatabaseTest = (options: DatabaseTestOptions = {}): DatabaseTest => {
  const databases = new TestDatabases(resolveDatabaseTestOptions(options));
  const test = createJestTest<DatabaseContext>(jestTest, (name, body, expectation) =>
    runWithDatabase(databases, name, body, expectation),
  );
  return Object.assign(test, {
    withDatabase:
      <Row extends readonly unknown[]>(body: DatabaseTestBody<Row>) =>
      (...row: Row) =>
        runWithDatabase(databases, expect.getState().currentTestName ?? "test", (context) =>
          body(context, ...row),
        ),
  });
};
