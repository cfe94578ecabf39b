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
import { connectionString } from "./connection-string.js";
import { presentReference } from "../reference.js";

const presentDirectConnection = (
  { host }: DatabaseAddress,
  { pass, user }: ConnectionRow,
): DirectConnection => ({
  host,
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

const presentEndpoint = ({ host, port }: DatabaseAddress): Endpoint => ({ host, port });

/** § Connection, as lists and restores show it: no connection string anywhere. */
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

/** What the connection itself opens: the endpoint of its kind. */
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

/** An item of `apiKeys`: the old shape of a connection. */
export const presentApiKeyConnection = (world: World, row: ConnectionRow): ApiKeyConnection => ({
  ...presentConnection(world, row),
  connectionString: mainConnectionString(world, row),
});
