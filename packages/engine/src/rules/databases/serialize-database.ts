import { type Preload, runBatched } from "../../store/preload.js";
import type { SerializationContext } from "../../context/row-json-cache.js";
import { formatTimestamp } from "../../values/clock.js";
import type {
  CreatedDatabase,
  Database,
  DatabaseSource,
  DatabaseWithSecrets,
  ProjectDatabase,
} from "../../generated/schemas.js";
import type { DatabaseRow, IntactConnectionRow } from "../../store/rows.js";
import { hasPendingDeletion } from "./pending-copies.js";
import type { ProvisioningDatabase } from "./database-creation.js";
import { createConnectionsPreload } from "./database-lifecycle.js";
import {
  serializeApiKeyConnection,
  serializeConnection,
  serializeNewConnection,
} from "../connections/serialize-connection.js";
import { serializeProjectReference } from "../projects/serialize-project.js";
import { serializeRegionReference } from "../regions/serialize-region.js";

/** Builds a source with its fields in the order of the contract: a store or a request may have them in another. */
const serializeSource = (source: DatabaseSource): DatabaseSource => {
  const { type } = source;
  if (type === "empty") return { type };
  const { databaseId } = source;
  return type === "backup" ? { type, databaseId, backupId: source.backupId } : { type, databaseId };
};

const serializeDatabaseFields = (
  context: SerializationContext,
  row: DatabaseRow,
): Omit<Database, "connections" | "project"> => ({
  id: row.id,
  type: "database",
  url: context.buildUrl("databases", row.id),
  name: row.name,
  // A database whose deletion has begun can no longer be used.
  status: row.status === "ready" && hasPendingDeletion(row) ? "failure" : row.status,
  createdAt: formatTimestamp(row.createdAt),
  isDefault: row.isDefault,
  defaultConnectionId: row.defaultConnectionId,
  region: serializeRegionReference(row.region),
  source: serializeSource(row.source),
  branchId: row.branchId,
  logicalId: row.logicalId,
});

/** Returns the rows that `serializeDatabase` reads for the database with this id. */
export const listDatabaseReferencePreloads = (databaseId: string | undefined): Preload[] =>
  databaseId === undefined
    ? []
    : [
        createConnectionsPreload(databaseId),
        {
          read: "referenced",
          table: "projects",
          by: { table: "databases", id: databaseId, field: "projectId" },
        },
      ];

/** Builds a `Database`, the form without connection strings. */
export const serializeDatabase = (context: SerializationContext, row: DatabaseRow): Database => {
  const [connections, project] = runBatched(
    () =>
      context.store.connections
        .list({ databaseId: row.id })
        .map((connection) => serializeConnection(context, connection)),
    () => serializeProjectReference(context, row.projectId),
  );
  return { ...serializeDatabaseFields(context, row), connections, project };
};

/** Builds a `CreatedDatabase`: a new database without the fields for API keys, with the connection strings of its endpoints. */
export const serializeCreatedDatabase = (
  context: SerializationContext,
  row: DatabaseRow,
  connection: IntactConnectionRow,
): CreatedDatabase => ({
  ...serializeDatabase(context, row),
  connections: [serializeNewConnection(context, connection)],
});

/** Builds the `ProjectDatabase` in the response that creates a project. */
export const serializeProjectDatabase = (
  context: SerializationContext,
  row: ProvisioningDatabase,
  connection: IntactConnectionRow,
): ProjectDatabase => {
  const apiKey = serializeApiKeyConnection(context, connection);
  return {
    ...serializeDatabaseFields(context, row),
    status: row.status,
    region: serializeRegionReference(row.region),
    connections: [serializeNewConnection(context, connection)],
    apiKeys: [apiKey],
    connectionString: apiKey.connectionString,
    directConnection: apiKey.directConnection ?? null,
  };
};

/**
 * Builds a `DatabaseWithSecrets`: the response to the creation of a database in a project, with its first connection and
 * the connection's secrets.
 */
export const serializeNewDatabase = (
  context: SerializationContext,
  row: ProvisioningDatabase,
  connection: IntactConnectionRow,
): DatabaseWithSecrets => ({
  ...serializeProjectDatabase(context, row, connection),
  project: serializeProjectReference(context, row.projectId),
});
