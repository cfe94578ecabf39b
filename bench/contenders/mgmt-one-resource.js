import { ProjectsResource, createPartialClient } from "@mgmt/sdk";

export const lister = (baseUrl, token) => {
  const client = createPartialClient({ projects: ProjectsResource }, { baseUrl, token });
  return async () => (await client.projects.list()).data;
};
