import type { RowContext } from "../../context/row-texts.js";
import { formatTimestamp } from "../../values/clock.js";
import type { DatabaseAddress } from "../../context/database-engine.js";
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
import type { ConnectionRow, IntactConnectionRow } from "../../store/rows.js";
import { presentReference } from "../projects/present-project.js";

/** Returns `host:port`, with brackets around an IPv6 address. */
const formatHostWithPort = ({ host, port }: DatabaseAddress): string =>
  `${host.includes(":") ? `[${host}]` : host}:${String(port)}`;

/**
 * Builds a `DirectConnection`. Its host includes the port unless the port is 5432, so that clients can build a connection string from host,
 * user and password.
 */
const presentDirectConnection = (
  address: DatabaseAddress,
  { pass, user }: IntactConnectionRow,
): DirectConnection => ({
  host: address.port === 5432 ? address.host : formatHostWithPort(address),
  pass,
  user,
});

const isIntact = (row: ConnectionRow): row is IntactConnectionRow => row.pass !== null;

const presentConnectionFields = (
  context: RowContext,
  row: ConnectionRow,
  directAddress: DatabaseAddress,
): ConnectionCore => ({
  id: row.id,
  type: "connection",
  url: context.url("connections", row.id),
  name: row.name,
  createdAt: formatTimestamp(row.createdAt),
  kind: row.kind,
  directConnection: isIntact(row) ? presentDirectConnection(directAddress, row) : null,
  database: presentReference(context, "databases", context.store.databases.get(row.databaseId)),
});

/**
 * Returns a connection string that every Postgres client accepts (libpq, node-postgres, Prisma). It has no
 * parameters of one client, such as Prisma's `pgbouncer`, because psql refuses those that it does not know.
 */
export const buildConnectionString = (
  address: DatabaseAddress,
  { user, pass }: { user: string; pass: string },
): string => {
  const credentials = `${encodeURIComponent(user)}:${encodeURIComponent(pass)}`;
  return `postgres://${credentials}@${formatHostWithPort(address)}/${encodeURIComponent(address.database)}?sslmode=${address.sslMode ?? "disable"}`;
};

const presentEndpoint = ({ host, port }: DatabaseAddress): Endpoint => ({ host, port });

/** Builds a `Connection`, the form in lists, without connection strings. */
export const presentConnection = (context: RowContext, row: ConnectionRow): Connection => {
  const { direct, pooled, accelerate } = context.databaseEngine.getEndpoints(row.databaseId);
  return {
    ...presentConnectionFields(context, row, direct),
    endpoints: {
      direct: presentEndpoint(direct),
      pooled: presentEndpoint(pooled),
      accelerate: presentEndpoint(accelerate),
    },
  };
};

const presentEndpointsWithSecrets = (context: RowContext, row: IntactConnectionRow): EndpointsWithSecrets => {
  const { direct, pooled, accelerate } = context.databaseEngine.getEndpoints(row.databaseId);
  const presentEndpointWithSecrets = (address: DatabaseAddress): EndpointWithSecrets => ({
    ...presentEndpoint(address),
    connectionString: buildConnectionString(address, row),
  });
  return {
    direct: presentEndpointWithSecrets(direct),
    pooled: presentEndpointWithSecrets(pooled),
    accelerate: presentEndpointWithSecrets(accelerate),
  };
};

/** Builds an `IssuedConnection`: the first connection of a new database. */
export const presentNewConnection = (context: RowContext, row: IntactConnectionRow): IssuedConnection => ({
  ...presentConnectionFields(context, row, context.databaseEngine.getEndpoints(row.databaseId).direct),
  endpoints: presentEndpointsWithSecrets(context, row),
});

/** Returns the connection string of the endpoint for the connection's kind. */
const buildStringForKind = (context: RowContext, row: IntactConnectionRow): string => {
  const endpoints = context.databaseEngine.getEndpoints(row.databaseId);
  return buildConnectionString(row.kind === "accelerate" ? endpoints.accelerate : endpoints.direct, row);
};

/** Builds a `ConnectionWithSecrets`: a created or rotated connection. */
export const presentConnectionWithSecrets = (
  context: RowContext,
  row: IntactConnectionRow,
): ConnectionWithSecrets => {
  const { direct } = context.databaseEngine.getEndpoints(row.databaseId);
  return {
    ...presentConnectionFields(context, row, direct),
    endpoints: presentEndpointsWithSecrets(context, row),
    connectionString: buildStringForKind(context, row),
    ...presentDirectConnection(direct, row),
  };
};

/** Presents an item of `apiKeys`, the former shape of a connection. */
export const presentApiKeyConnection = (context: RowContext, row: IntactConnectionRow): ApiKeyConnection => ({
  ...presentConnection(context, row),
  connectionString: buildStringForKind(context, row),
});
