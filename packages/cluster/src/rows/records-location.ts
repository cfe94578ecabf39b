/**
 * The database with the records of the API. Every cluster has it, no tenant can connect to it, and it is never dropped.
 */
export const recordsDatabase = "postgres";
/** The schema with the records. Its name needs no quotes in SQL. */
export const recordsSchema = "mgmt";
