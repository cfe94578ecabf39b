import { createClient } from "@mgmt/sdk";

export const lister = (baseUrl, token) => {
  const client = createClient({ baseUrl, token });
  return async () => (await client.projects.list()).data;
};
