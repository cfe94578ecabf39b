import { Pool, type PoolConfig } from "pg";

/** Returns a pool of connections to the database `postgres` for the platform's own statements. */
export const openPool = (config: PoolConfig): Pool => {
  const pool = new Pool({ ...config, database: "postgres" });
  // Without a listener, a broken connection would end the process. The next statement opens a new connection.
  pool.on("error", () => undefined);
  pool.on("connect", (client) => client.on("error", () => undefined));
  return pool;
};
