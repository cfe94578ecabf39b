/** The version of the schema up to which the program of a server has the steps. Null means less than the version of this step. */
export const addServerSchema = (schema: string): readonly string[] => [
  `alter table ${schema}.servers add column schema_version integer`,
];
