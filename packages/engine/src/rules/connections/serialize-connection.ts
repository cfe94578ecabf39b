import type { SerializationContext } from "../../context/row-json-cache.js";
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
import { serializeReference } from "../projects/serialize-project.js";

/** Returns `host:port`, with brackets around an IPv6 address. */
const formatHostWithPort = ({ host, port }: DatabaseAddress): string =>
  `${host.includes(":") ? `[${host}]` : host}:${String(port)}`;

/**
 * Builds a `DirectConnection`. Its host includes the port unless the port is 5432, so that clients can build a connection string from host,
 * user and password.
 */
const serializeDirectConnection = (
  address: DatabaseAddress,
  { pass, user }: IntactConnectionRow,
): DirectConnection => ({
  host: address.port === 5432 ? address.host : formatHostWithPort(address),
  pass,
  user,
});

const isIntact = (row: ConnectionRow): row is IntactConnectionRow => row.pass !== null;

const serializeConnectionFields = (
  context: SerializationContext,
  row: ConnectionRow,
  directAddress: DatabaseAddress,
): ConnectionCore => ({
  id: row.id,
  type: "connection",
  url: context.buildUrl("connections", row.id),
  name: row.name,
  createdAt: formatTimestamp(row.createdAt),
  kind: row.kind,
  directConnection: isIntact(row) ? serializeDirectConnection(directAddress, row) : null,
  database: serializeReference(context, "databases", context.store.databases.get(row.databaseId)),
});

/**
 * Returns a connection string that every Postgres client accepts (libpq, node-postgres, Prisma). It has no
 * parameters of one client, such as Prisma's `pgbouncer`, because psql rejects those that it does not know.
 */
export const buildConnectionString = (
  address: DatabaseAddress,
  { user, pass }: { user: string; pass: string },
): string => {
  const credentials = `${encodeURIComponent(user)}:${encodeURIComponent(pass)}`;
  return `postgres://${credentials}@${formatHostWithPort(address)}/${encodeURIComponent(address.database)}?sslmode=${address.sslMode ?? "disable"}`;
};

const serializeEndpoint = ({ host, port }: DatabaseAddress): Endpoint => ({ host, port });

/** Builds a `Connection`, the form in lists, without connection strings. */
export const serializeConnection = (context: SerializationContext, row: ConnectionRow): Connection => {
  const { direct, pooled, accelerate } = context.databaseEngine.getEndpoints(row.databaseId);
  return {
    ...serializeConnectionFields(context, row, direct),
    endpoints: {
      direct: serializeEndpoint(direct),
      pooled: serializeEndpoint(pooled),
      accelerate: serializeEndpoint(accelerate),
    },
  };
};

const serializeEndpointsWithSecrets = (
  context: SerializationContext,
  row: IntactConnectionRow,
): EndpointsWithSecrets => {
  const { direct, pooled, accelerate } = context.databaseEngine.getEndpoints(row.databaseId);
  const serializeEndpointWithSecrets = (address: DatabaseAddress): EndpointWithSecrets => ({
    ...serializeEndpoint(address),
    connectionString: buildConnectionString(address, row),
  });
  return {
    direct: serializeEndpointWithSecrets(direct),
    pooled: serializeEndpointWithSecrets(pooled),
    accelerate: serializeEndpointWithSecrets(accelerate),
  };
};

/** Builds an `IssuedConnection`: the first connection of a new database. */
export const serializeNewConnection = (
  context: SerializationContext,
  row: IntactConnectionRow,
): IssuedConnection => ({
  ...serializeConnectionFields(context, row, context.databaseEngine.getEndpoints(row.databaseId).direct),
  endpoints: serializeEndpointsWithSecrets(context, row),
});

/** Returns the connection string of the endpoint for the connection's kind. */
const buildStringForKind = (context: SerializationContext, row: IntactConnectionRow): string => {
  const endpoints = context.databaseEngine.getEndpoints(row.databaseId);
  return buildConnectionString(row.kind === "accelerate" ? endpoints.accelerate : endpoints.direct, row);
};

/** Builds a `ConnectionWithSecrets`: a created or rotated connection. */
export const serializeConnectionWithSecrets = (
  context: SerializationContext,
  row: IntactConnectionRow,
): ConnectionWithSecrets => {
  const { direct } = context.databaseEngine.getEndpoints(row.databaseId);
  return {
    ...serializeConnectionFields(context, row, direct),
    endpoints: serializeEndpointsWithSecrets(context, row),
    connectionString: buildStringForKind(context, row),
    ...serializeDirectConnection(direct, row),
  };
};

/** Presents an item of `apiKeys`, the former shape of a connection. */
export const serializeApiKeyConnection = (
  context: SerializationContext,
  row: IntactConnectionRow,
): ApiKeyConnection => ({
  ...serializeConnection(context, row),
  connectionString: buildStringForKind(context, row),
});
