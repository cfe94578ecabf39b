import { migrations } from "../store/migrations.js";

/**
 * Returns the statements that create a schema as `migrate` does.
 *
 * @param name must not need quotes.
 * @param version Default: the current one.
 */
export const newSchema = (name: string, version = migrations.length): string[] => [
  `create schema ${name}`,
  `create table ${name}.migrations (version integer primary key)`,
  ...migrations
    .slice(0, version)
    .flatMap((steps, index) => [
      ...steps(name),
      `insert into ${name}.migrations values (${String(index + 1)})`,
    ]),
];
