import { migrations } from "./migrations.js";

/**
 * Returns the statements that create a schema as `migrate` does.
 *
 * @param name must not need quotes.
 */
export const newSchemaStatements = (name: string): string[] => [
  `create schema ${name}`,
  `create table ${name}.migrations (version integer primary key)`,
  ...migrations.flatMap((steps, index) => [
    ...steps(name),
    `insert into ${name}.migrations values (${String(index + 1)})`,
  ]),
];
