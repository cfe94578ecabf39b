import { createClient } from "@mgmt/sdk";
import { nodeTransport } from "@mgmt/sdk/node";

export const lister = (baseUrl, token) => {
  const client = createClient({ baseUrl, token, transport: nodeTransport() });
  return async () => (await client.projects.list()).data;
};
