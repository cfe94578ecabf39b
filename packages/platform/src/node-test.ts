import { type TestContext, test as base } from "node:test";
import { type DatabaseTestOptions, resolveDatabaseTestOptions } from "./tests/kit-options.js";
import { type TestDatabase, TestDatabases } from "./tests/test-databases.js";

export type { DatabaseTestOptions, SetupContext } from "./tests/kit-options.js";
export type { TestDatabase } from "./tests/test-databases.js";

/** The context of a test of Node.js, with its database. */
export interface DatabaseTestContext extends TestContext {
  /** A Postgres database of the test's own. It is a copy of the template that the setup has filled. */
  readonly database: TestDatabase;
}

/** The body of a test. */
export type DatabaseTestBody = (context: DatabaseTestContext) => unknown;

/** Options of a test, as for `node:test`. */
export interface NodeTestOptions {
  readonly concurrency?: number | boolean | undefined;
  readonly only?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly skip?: boolean | string | undefined;
  readonly timeout?: number | undefined;
  readonly todo?: boolean | string | undefined;
}

interface DefineTest {
  (name: string, options?: NodeTestOptions): Promise<void>;
  (name: string, body: DatabaseTestBody): Promise<void>;
  (name: string, options: NodeTestOptions, body: DatabaseTestBody): Promise<void>;
}

/** `test` of `node:test`, whose body gets a `DatabaseTestContext`. */
export interface DatabaseTest extends DefineTest {
  readonly only: DefineTest;
  readonly skip: DefineTest;
  readonly todo: DefineTest;
}

/**
 * Returns `test` of `node:test` with a Postgres database for each test. All processes of this user share one server, which starts when it
 * is needed, and ends five minutes after the last run.
 *
 * @param options the options of the databases.
 * @throws TypeError for an option that does not exist or is not valid. A test fails with a `PlatformError` if it gets no database.
 */
export const createDatabaseTest = (options: DatabaseTestOptions = {}): DatabaseTest => {
  const databases = new TestDatabases(resolveDatabaseTestOptions(options));
  const runWithDatabase = async (context: TestContext, body: DatabaseTestBody): Promise<void> => {
    const database = await databases.take();
    let hasFailed = true;
    try {
      await body(Object.assign(context, { database }));
      hasFailed = false;
    } finally {
      const note = await databases.release(database, { hasFailed });
      if (note !== undefined) context.diagnostic(`The database of "${context.name}" remains: ${note}`);
    }
  };
  const createDefine = (extra: NodeTestOptions): DefineTest => {
    return (
      name: string,
      first: NodeTestOptions | DatabaseTestBody = {},
      second?: DatabaseTestBody,
    ): Promise<void> => {
      const [options, body] = typeof first === "function" ? [{}, first] : [first, second];
      // Node.js lets a test without a body pass, such as one that is still to do.
      if (body === undefined) return base(name, { ...options, ...extra });
      return base(name, { ...options, ...extra }, (context) => runWithDatabase(context, body));
    };
  };
  return Object.assign(createDefine({}), {
    only: createDefine({ only: true }),
    skip: createDefine({ skip: true }),
    todo: createDefine({ todo: true }),
  });
};
