import { type MgmtClient, type Project, isApiError } from "@mgmt/sdk";

/** The project with this logical id: the one that is there, or a new one. */
export const openShop = async (client: MgmtClient, logicalId: string): Promise<Project> => {
  try {
    return await client.projects.create({ name: logicalId, logicalId });
  } catch (error) {
    if (!isApiError(error, "project:logical_id_conflict")) throw error;
    const [project] = await client.projects.list({ logicalId }).toArray({ limit: 1 });
    if (!project) throw error;
    return project;
  }
};
