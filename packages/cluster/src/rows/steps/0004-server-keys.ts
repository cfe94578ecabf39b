/** The id of the key with which a server encrypts. Null means that it has not said so. */
export const addServerKeys = (schema: string): readonly string[] => [
  `alter table ${schema}.servers add column key_id text`,
];
