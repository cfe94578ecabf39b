/**
 * Where a cluster has the records of the API: in a database that every cluster has, to which no tenant can connect, and which
 * is never dropped.
 */
export const recordsDatabase = "postgres";
/** Needs no quotes. */
export const recordsSchema = "mgmt";
