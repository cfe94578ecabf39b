import type { RuleContext } from "../../context/rule-context.js";
import type { ConnectionRow, DatabaseRow, DatabaseSource } from "../../store/rows.js";
import { announceLogin, newConnection } from "../connections/connection-creation.js";
import { beginCopy } from "./copies.js";
import { beginProvisioning } from "./database-lifecycle.js";

export interface NewDatabase {
  workspaceId: string;
  projectId: string;
  branchId: string;
  branchGitName: string;
  /** Undefined for a generated name. */
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
  context: RuleContext,
  { name, ...properties }: NewDatabase,
): { database: ProvisioningDatabase; connection: ConnectionRow } => {
  const { store, ids, clock } = context;
  const id = ids.id("database");
  const connection = newConnection(context, { id, workspaceId: properties.workspaceId }, "default");
  if (properties.isDefault) takeDefaultFlag(context, properties.projectId);
  const database: ProvisioningDatabase = {
    id,
    createdAt: clock.now(),
    name: name ?? ids.name(),
    ...properties,
    defaultConnectionId: connection.id,
    status: "provisioning",
    made: false,
  };
  store.databases.insert(database);
  store.connections.insert(connection);
  announceLogin(context, connection);
  beginCopy(context, database);
  beginProvisioning(context, id);
  return { database, connection };
};

/** Clears the flag of the current default database: a project has at most one. */
const takeDefaultFlag = ({ store }: RuleContext, projectId: string): void => {
  for (const { id } of store.databases.list({ projectId, isDefault: true })) {
    store.databases.update(id, { isDefault: false });
  }
};
