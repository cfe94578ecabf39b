/** Returns the statements that add the id of the key with which a server encrypts. Null means that the server has not stored it. */
export const addServerKeys = (schema: string): readonly string[] => [
  `alter table ${schema}.servers add column key_id text`,
];
