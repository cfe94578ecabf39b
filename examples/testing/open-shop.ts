import type { MgmtClient, Project, RequestOptions } from "@mgmt/sdk";

/** Returns the project with this logical id, and creates it if it does not exist. */
export const openShop = async (
  client: MgmtClient,
  logicalId: string,
  options?: RequestOptions,
): Promise<Project> => {
  const { resource } = await client.projects.ensure({ name: logicalId, logicalId }, options);
  return resource;
};
