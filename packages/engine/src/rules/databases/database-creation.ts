import type { OperationContext } from "../../context/operation-context.js";
import type { DatabaseRow, DatabaseSource, IntactConnectionRow } from "../../store/rows.js";
import { announceLogin, generateConnection } from "../connections/connection-creation.js";
import { recordPendingCopy } from "./pending-copies.js";
import { scheduleProvisioning } from "./database-lifecycle.js";

/** The properties of a database that is being created. */
export interface NewDatabase {
  workspaceId: string;
  projectId: string;
  branchId: string;
  branchGitName: string;
  /** Undefined means a generated name. */
  name: string | undefined;
  logicalId: string | null;
  region: string;
  isDefault: boolean;
  source: DatabaseSource;
}

/** A new database: the response is sent before clients can connect. */
export type ProvisioningDatabase = DatabaseRow & { status: "provisioning" };

/** Stores a database with its first connection, and schedules its creation. */
export const addDatabase = (
  context: OperationContext,
  { name, ...properties }: NewDatabase,
): { database: ProvisioningDatabase; connection: IntactConnectionRow } => {
  const { store, ids, clock } = context;
  const id = ids.generateId("database");
  const connection = generateConnection(context, { id, workspaceId: properties.workspaceId }, "default");
  if (properties.isDefault) clearDefaultFlag(context, properties.projectId);
  const database: ProvisioningDatabase = {
    id,
    createdAt: clock.now(),
    name: name ?? ids.generateName(),
    ...properties,
    defaultConnectionId: connection.id,
    status: "provisioning",
    made: false,
  };
  store.databases.insert(database);
  store.connections.insert(connection);
  announceLogin(context, connection);
  recordPendingCopy(context, database);
  scheduleProvisioning(context, id);
  return { database, connection };
};

/** Clears the flag of the current default database: a project has at most one. */
const clearDefaultFlag = ({ store }: OperationContext, projectId: string): void => {
  for (const { id } of store.databases.list({ projectId, isDefault: true })) {
    store.databases.update(id, { isDefault: false });
  }
};
