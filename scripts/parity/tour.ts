import type { MgmtClient } from "@mgmt/sdk";

/** A name that the service has no resource for. */
const unknownId = "cmm000000000000000000000";

/**
 * Calls operations of a service, so that a recording contains them: reads what exists, and creates, changes, and deletes one
 * project. Continues when a call fails, because failures are recorded too.
 *
 * @param name of the project.
 */
export const tour = async ({ safe }: MgmtClient, name: string): Promise<void> => {
  const [workspace] = (await safe.workspaces.list({ limit: 10 })).data?.data ?? [];
  await safe.me.get();
  await safe.regions.list();
  await safe.regions.listPostgres();
  await safe.regions.listAccelerate();
  await safe.projects.list({ limit: 10 });
  await safe.databases.list({ limit: 10 });
  await safe.connections.list({ limit: 10 });
  if (workspace) await readWorkspace(safe, workspace.id);
  await failOnPurpose(safe);

  const { data: project } = await safe.projects.create({ name });
  if (!project) return;
  try {
    await useProject(safe, project.id, name);
    if (project.database) await useDatabase(safe, project.database.id);
  } finally {
    await safe.projects.delete(project.id);
    await safe.projects.get(project.id);
  }
};

type Safe = MgmtClient["safe"];

const readWorkspace = async (safe: Safe, id: string): Promise<void> => {
  await safe.workspaces.get(id);
  await safe.workspaces.subscription.get(id);
  await safe.workspaces.serviceTokens.list(id);
  await safe.workspaces.integrations.list(id);
  await safe.integrations.list({ workspaceId: id });
};

const failOnPurpose = async (safe: Safe): Promise<void> => {
  await safe.projects.get(`proj_${unknownId}`);
  await safe.databases.get(`db_${unknownId}`);
  await safe.connections.get(`con_${unknownId}`);
  await safe.branches.get(`br_${unknownId}`);
  await safe.projects.create({ name: "" });
  await safe.projects.list({ cursor: "not-a-cursor" });
};

const useProject = async (safe: Safe, id: string, name: string): Promise<void> => {
  await safe.projects.get(id);
  await safe.projects.update(id, { name: `${name}-renamed` });
  await safe.projects.databases.list(id);
  const { data: branch } = await safe.projects.branches.create(id, { gitName: "parity" });
  await safe.projects.branches.list(id);
  if (branch) {
    await safe.branches.get(branch.id);
    await safe.branches.delete(branch.id);
  }
};

const useDatabase = async (safe: Safe, id: string): Promise<void> => {
  await safe.databases.get(id);
  await safe.databases.update(id, { name: "renamed" });
  await safe.databases.backups.list(id);
  await safe.databases.usage.get(id);
  const { data: connection } = await safe.databases.connections.create(id, { name: "reader" });
  await safe.databases.connections.list(id);
  if (!connection) return;
  await safe.connections.get(connection.id);
  await safe.connections.rotate(connection.id);
  await safe.connections.delete(connection.id);
};
