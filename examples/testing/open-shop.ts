import type { MgmtClient, Project } from "@mgmt/sdk";

/** The project with this logical id: the one that is there, or a new one. */
export const openShop = async (client: MgmtClient, logicalId: string): Promise<Project> => {
  const { resource } = await client.projects.ensure({ name: logicalId, logicalId }, { timeoutMs: 2_000 });
  return resource;
};
