import type { Provisioning } from "../provisioning.js";

export interface UnnamedShop {
  readonly project: string;
  readonly database: string;
}

/** Creates a project with a database, neither of which has a logical id. Returns their ids. */
export const seedUnnamedShop = async ({ session }: Provisioning, name = "The shop"): Promise<UnnamedShop> => {
  const { seed } = session.server.engine;
  const { id: project } = await seed.project({ name, createDatabase: false });
  const { id: database } = await seed.database(project, { name: "Sales reports" });
  return { project, database };
};

/** Returns a manifest that adopts a project and a database by their ids or names. */
export const manifestWithAdoptions = (project: string, database: string, fields = ""): string => `version: 1
projects:
  shop:
    adopt: ${JSON.stringify(project)}
${fields}    branches:
      main:
        databases:
          reports: { adopt: ${JSON.stringify(database)} }
`;
