import { migrations } from "./migrations.js";

/**
 * Returns the statements that create a schema as `migrateSchema` does.
 *
 * @param name must not need quotes.
 */
export const buildSchemaStatements = (name: string): string[] => [
  `create schema ${name}`,
  `create table ${name}.migrations (version integer primary key)`,
  ...migrations.flatMap((migration, index) => [
    ...migration(name),
    `insert into ${name}.migrations values (${String(index + 1)})`,
  ]),
];
