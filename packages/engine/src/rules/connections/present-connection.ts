import type { World } from "../../request/world.js";
import { timestamp } from "../../time/clock.js";
import type { DatabaseAddress } from "../../request/database-engine.js";
import type {
  ApiKeyConnection,
  Connection,
  ConnectionCore,
  ConnectionWithSecrets,
  Endpoint,
  DirectConnection,
  EndpointWithSecrets,
  EndpointsWithSecrets,
  IssuedConnection,
} from "../../generated/schemas.js";
import type { ConnectionRow } from "../../store/rows.js";
import { presentReference } from "../projects/present-project.js";

/** Returns `host:port`, with brackets around an IPv6 address. */
const hostWithPort = ({ host, port }: DatabaseAddress): string =>
  `${host.includes(":") ? `[${host}]` : host}:${String(port)}`;

/**
 * The host includes the port unless it is 5432, so that clients can build a connection string from host, user and
 * password.
 */
const presentDirectConnection = (
  address: DatabaseAddress,
  { pass, user }: ConnectionRow,
): DirectConnection => ({
  host: address.port === 5432 ? address.host : hostWithPort(address),
  pass,
  user,
});

const presentCore = (world: World, row: ConnectionRow, direct: DatabaseAddress): ConnectionCore => ({
  id: row.id,
  type: "connection",
  url: world.url("connections", row.id),
  name: row.name,
  createdAt: timestamp(row.createdAt),
  kind: row.kind,
  directConnection: presentDirectConnection(direct, row),
  database: presentReference(world, "databases", world.store.databases.get(row.databaseId)),
});

/**
 * Returns a connection string that every Postgres client accepts (libpq, node-postgres, Prisma). `sslmode` is the only
 * parameter that all of them support; psql refuses unknown ones, such as Prisma's `pgbouncer`.
 */
export const connectionString = (
  address: DatabaseAddress,
  { user, pass }: { user: string; pass: string },
): string => {
  const credentials = `${encodeURIComponent(user)}:${encodeURIComponent(pass)}`;
  return `postgres://${credentials}@${hostWithPort(address)}/${encodeURIComponent(address.database)}?sslmode=disable`;
};

const presentEndpoint = ({ host, port }: DatabaseAddress): Endpoint => ({ host, port });

/** Builds a `Connection`, the form in lists, without connection strings. */
export const presentConnection = (world: World, row: ConnectionRow): Connection => {
  const { direct, pooled, accelerate } = world.databaseEngine.endpoints(row.databaseId);
  return {
    ...presentCore(world, row, direct),
    endpoints: {
      direct: presentEndpoint(direct),
      pooled: presentEndpoint(pooled),
      accelerate: presentEndpoint(accelerate),
    },
  };
};

const presentEndpoints = (world: World, row: ConnectionRow): EndpointsWithSecrets => {
  const { direct, pooled, accelerate } = world.databaseEngine.endpoints(row.databaseId);
  const issued = (address: DatabaseAddress): EndpointWithSecrets => ({
    ...presentEndpoint(address),
    connectionString: connectionString(address, row),
  });
  return { direct: issued(direct), pooled: issued(pooled), accelerate: issued(accelerate) };
};

/** Builds an `IssuedConnection`: the first connection of a new database. */
export const presentIssuedConnection = (world: World, row: ConnectionRow): IssuedConnection => ({
  ...presentCore(world, row, world.databaseEngine.endpoints(row.databaseId).direct),
  endpoints: presentEndpoints(world, row),
});

/** Returns the connection string of the endpoint for the connection's kind. */
const mainConnectionString = (world: World, row: ConnectionRow): string => {
  const endpoints = world.databaseEngine.endpoints(row.databaseId);
  return connectionString(row.kind === "accelerate" ? endpoints.accelerate : endpoints.direct, row);
};

/** Builds a `ConnectionWithSecrets`: a created or rotated connection. */
export const presentConnectionWithSecrets = (world: World, row: ConnectionRow): ConnectionWithSecrets => {
  const { direct } = world.databaseEngine.endpoints(row.databaseId);
  return {
    ...presentCore(world, row, direct),
    endpoints: presentEndpoints(world, row),
    connectionString: mainConnectionString(world, row),
    ...presentDirectConnection(direct, row),
  };
};

/** Presents an item of `apiKeys`, the former shape of a connection. */
export const presentApiKeyConnection = (world: World, row: ConnectionRow): ApiKeyConnection => ({
  ...presentConnection(world, row),
  connectionString: mainConnectionString(world, row),
});
