/**
 * Returns the statements that add the version of the oldest program that can use the schema. Null means that only programs which have all
 * steps of the schema can use it.
 */
export const addOldestProgram = (schema: string): readonly string[] => [
  `alter table ${schema}.migrations add column oldest_program integer`,
];
