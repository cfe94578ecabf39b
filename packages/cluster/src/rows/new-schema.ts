import { buildMigrationStatements, buildMigrationsTableStatement } from "./migrations.js";

/**
 * Returns the statements that create a schema as `migrateSchema` does.
 *
 * @param name must not need quotes.
 */
export const buildSchemaStatements = (name: string): string[] => [
  `create schema ${name}`,
  buildMigrationsTableStatement(name),
  ...buildMigrationStatements(name, 0),
];
