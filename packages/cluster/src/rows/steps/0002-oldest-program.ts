/** Which programs can use the schema. Null means those that have all its steps. */
export const addOldestProgram = (schema: string): readonly string[] => [
  `alter table ${schema}.migrations add column oldest_program integer`,
];
