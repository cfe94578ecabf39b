import type { DatabaseAddress } from "../../request/database-engine.js";

/**
 * What any Postgres client takes: libpq, pg and the drivers on top of it, Prisma. `sslmode` is the one parameter that all
 * of them know; psql refuses unknown ones, such as Prisma's `pgbouncer`.
 */
export const connectionString = (
  { host, port, database }: DatabaseAddress,
  { user, pass }: { user: string; pass: string },
): string => {
  const authority = host.includes(":") ? `[${host}]` : host;
  const credentials = `${encodeURIComponent(user)}:${encodeURIComponent(pass)}`;
  return `postgres://${credentials}@${authority}:${String(port)}/${encodeURIComponent(database)}?sslmode=disable`;
};
