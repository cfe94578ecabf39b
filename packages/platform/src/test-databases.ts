import { type DatabaseTestOptions, resolveDatabaseTestOptions } from "./tests/kit-options.js";
import { type TestDatabase, TestDatabases } from "./tests/test-databases.js";

export type { DatabaseTestOptions, SetupContext } from "./tests/kit-options.js";
export type { TestDatabase } from "./tests/test-databases.js";

/** What is known about the test of a database. */
export interface ReleaseOptions {
  /** Whether the test has failed. Default: false. */
  readonly hasFailed?: boolean | undefined;
}

/** Gives out databases, for test runners without an entry of their own, and for scripts. */
export interface TestDatabaseSource {
  /**
   * Returns a database that nothing else uses.
   *
   * @throws PlatformError
   */
  take(): Promise<TestDatabase>;
  /**
   * Ends the use of a database, which is dropped soon. A database of a process that has exited is dropped without it.
   *
   * @param options whether its test has failed, for `keepOnFailure`.
   * @returns the command that opens the database if it remains.
   */
  release(database: TestDatabase, options?: ReleaseOptions): Promise<string | undefined>;
}

/**
 * Returns a source of Postgres databases. All processes of this user share one server, which starts when it is needed, and ends five
 * minutes after its last use.
 *
 * @param options the options of the databases.
 * @throws TypeError for an option that does not exist or is not valid.
 */
export const createTestDatabases = (options: DatabaseTestOptions = {}): TestDatabaseSource => {
  const databases = new TestDatabases(resolveDatabaseTestOptions(options));
  return {
    take: () => databases.take(),
    release: (database, { hasFailed = false } = {}) => databases.release(database, { hasFailed }),
  };
};
