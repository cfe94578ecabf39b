import type { World } from "../../request/world.js";
import type { ConnectionRow, DatabaseRow, DatabaseSource } from "../../store/rows.js";
import { inventConnection } from "../connections/connection-creation.js";
import { beginProvisioning } from "./database-lifecycle.js";

export interface NewDatabase {
  workspaceId: string;
  projectId: string;
  branchId: string;
  branchGitName: string;
  /** Absent: a readable one is made up. */
  name: string | undefined;
  logicalId: string | null;
  region: string;
  isDefault: boolean;
  source: DatabaseSource;
}

/** What a create answers: reported before the database can be opened. */
export type ProvisioningDatabase = DatabaseRow & { status: "provisioning" };

/** Records the database with its first connection and sets it on its way to `ready` (§ Database life cycle). */
export const addDatabase = (
  world: World,
  { name, ...properties }: NewDatabase,
): { database: ProvisioningDatabase; connection: ConnectionRow } => {
  const { store, ids, clock } = world;
  const id = ids.id("database");
  const connection = inventConnection(world, { id, workspaceId: properties.workspaceId }, "default");
  if (properties.isDefault) takeDefaultFlag(world, properties.projectId);
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
  beginProvisioning(world, id);
  return { database, connection };
};

/** A project has at most one default database. */
const takeDefaultFlag = ({ store }: World, projectId: string): void => {
  for (const { id } of store.databases.list({ projectId, isDefault: true })) {
    store.databases.update(id, { isDefault: false });
  }
};
