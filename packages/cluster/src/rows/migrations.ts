import { createTables } from "./steps/0001-tables.js";
import { addOldestProgram } from "./steps/0002-oldest-program.js";
import { createServers } from "./steps/0003-servers.js";
import { addServerKeys } from "./steps/0004-server-keys.js";
import { addServerSchema } from "./steps/0005-server-schema.js";

/** A step from one version of the schema to the next. */
export interface Migration {
  /** Returns the statements. They never change once they are released. */
  readonly buildStatements: (schema: string) => readonly string[];
  /**
   * The version of the oldest program that can use the schema after this step, which is the number of steps that the program has. A step
   * that only adds what older programs need not know, an `expand`, has the format of the previous step. A step that removes or changes
   * something, a `contract`, has the version of the first program that does not need the previous format. It is never lower than the
   * format of the previous step.
   */
  readonly oldestProgram: number;
}

/** The steps from an empty schema to the current one. The version of a schema is the number of steps that it has had. */
export const migrations: readonly Migration[] = [
  { buildStatements: createTables, oldestProgram: 1 },
  // A program with one step does not read the column that this step adds, and rejects every newer version.
  { buildStatements: addOldestProgram, oldestProgram: 2 },
  { buildStatements: createServers, oldestProgram: 2 },
  { buildStatements: addServerKeys, oldestProgram: 2 },
  { buildStatements: addServerSchema, oldestProgram: 2 },
];

/** The first version of the schema whose table of versions has the column `oldest_program`. */
const firstVersionWithOldestProgram = 2;

/** The first version of the schema that has a table of servers. */
export const firstVersionWithServers = 3;

/** The first version of the schema in which servers record the version of their program. */
export const firstVersionWithServerSchema = 5;

/**
 * Returns the statements that update a schema. Its table of versions exists already.
 *
 * @param storedVersion the number of steps that the schema has had.
 * @param steps default: all of this program.
 */
export const buildMigrationStatements = (
  schema: string,
  storedVersion: number,
  steps: readonly Migration[] = migrations,
): string[] =>
  steps.slice(storedVersion).flatMap(({ buildStatements, oldestProgram }, index) => {
    const version = storedVersion + index + 1;
    return [
      ...buildStatements(schema),
      version < firstVersionWithOldestProgram
        ? `insert into ${schema}.migrations values (${String(version)})`
        : `insert into ${schema}.migrations values (${String(version)}, ${String(oldestProgram)})`,
    ];
  });

/** Returns the statement that creates the table of versions. */
export const buildMigrationsTableStatement = (schema: string): string =>
  `create table if not exists ${schema}.migrations (version integer primary key)`;
