import type { MgmtClient, Project } from "@mgmt/sdk";

/** Returns the project with this logical id, and creates it if it does not exist. */
export const openShop = async (client: MgmtClient, logicalId: string): Promise<Project> => {
  const { resource } = await client.projects.ensure({ name: logicalId, logicalId }, { timeoutMs: 2_000 });
  return resource;
};
