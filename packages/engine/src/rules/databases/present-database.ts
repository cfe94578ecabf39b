import { type Preload, loadTogether } from "../../store/preload.js";
import type { RowContext } from "../../context/row-texts.js";
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
  presentApiKeyConnection,
  presentConnection,
  presentNewConnection,
} from "../connections/present-connection.js";
import { presentProjectReference } from "../projects/present-project.js";
import { presentRegionReference } from "../regions/present-region.js";

/** Builds a source with its fields in the order of the contract: a store or a request may have them in another. */
const presentSource = (source: DatabaseSource): DatabaseSource => {
  const { type } = source;
  if (type === "empty") return { type };
  const { databaseId } = source;
  return type === "backup" ? { type, databaseId, backupId: source.backupId } : { type, databaseId };
};

const presentDatabaseFields = (
  context: RowContext,
  row: DatabaseRow,
): Omit<Database, "connections" | "project"> => ({
  id: row.id,
  type: "database",
  url: context.url("databases", row.id),
  name: row.name,
  // It can no longer be used.
  status: row.status === "ready" && hasPendingDeletion(row) ? "failure" : row.status,
  createdAt: formatTimestamp(row.createdAt),
  isDefault: row.isDefault,
  defaultConnectionId: row.defaultConnectionId,
  region: presentRegionReference(row.region),
  source: presentSource(row.source),
  branchId: row.branchId,
  logicalId: row.logicalId,
});

/** Returns the rows that `presentDatabase` reads for the database with this id. */
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
export const presentDatabase = (context: RowContext, row: DatabaseRow): Database => {
  const [connections, project] = loadTogether(
    () =>
      context.store.connections
        .list({ databaseId: row.id })
        .map((connection) => presentConnection(context, connection)),
    () => presentProjectReference(context, row.projectId),
  );
  return { ...presentDatabaseFields(context, row), connections, project };
};

/** Builds a `CreatedDatabase`: a new database without the fields for API keys, with the connection strings of its endpoints. */
export const presentCreatedDatabase = (
  context: RowContext,
  row: DatabaseRow,
  connection: IntactConnectionRow,
): CreatedDatabase => ({
  ...presentDatabase(context, row),
  connections: [presentNewConnection(context, connection)],
});

/** Builds the `ProjectDatabase` in the response that creates a project. */
export const presentProjectDatabase = (
  context: RowContext,
  row: ProvisioningDatabase,
  connection: IntactConnectionRow,
): ProjectDatabase => {
  const apiKey = presentApiKeyConnection(context, connection);
  return {
    ...presentDatabaseFields(context, row),
    status: row.status,
    region: presentRegionReference(row.region),
    connections: [presentNewConnection(context, connection)],
    apiKeys: [apiKey],
    connectionString: apiKey.connectionString,
    directConnection: apiKey.directConnection ?? null,
  };
};

/**
 * Builds a `DatabaseWithSecrets`: the response to the creation of a database in a project, with its first connection and
 * the connection's secrets.
 */
export const presentNewDatabase = (
  context: RowContext,
  row: ProvisioningDatabase,
  connection: IntactConnectionRow,
): DatabaseWithSecrets => ({
  ...presentProjectDatabase(context, row, connection),
  project: presentProjectReference(context, row.projectId),
});
