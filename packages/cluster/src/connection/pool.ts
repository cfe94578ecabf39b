import { DatabaseError, Pool, type PoolConfig, type QueryResult, type QueryResultRow } from "pg";

/** Returns a pool of connections for the platform's own statements. */
export const openPool = (config: PoolConfig): Pool => {
  const pool = new Pool(config);
  // Without a listener, a broken connection would terminate the process. The next statement opens a new connection.
  pool.on("error", () => undefined);
  pool.on("connect", (client) => client.on("error", () => undefined));
  return pool;
};

/**
 * Runs a statement and keeps its connection when Postgres rejects the statement. `pool.query` would close the connection, and a
 * new one cannot be opened while tenants hold all locks of the server.
 *
 * @throws DatabaseError when Postgres rejects the statement; another error when the connection is lost.
 */
export const queryKeepingConnection = async <Row extends QueryResultRow>(
  pool: Pool,
  text: string,
  values: readonly unknown[] = [],
): Promise<QueryResult<Row>> => {
  const client = await pool.connect();
  try {
    const result = await client.query<Row>(text, [...values]);
    client.release();
    return result;
  } catch (error) {
    client.release(!(error instanceof DatabaseError));
    throw error;
  }
};
