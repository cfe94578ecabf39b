import { createClient } from "@mgmt/sdk";

/** Responds with the runtime, the number of projects, and the code of an error. */
export const list = async () => {
  const client = createClient({ baseUrl: process.env.MGMT_BASE_URL, token: process.env.MGMT_TOKEN });
  const { data } = await client.projects.list();
  const error = await client.projects.get("proj_gone").catch((thrown) => thrown);
  return Response.json({ edge: "EdgeRuntime" in globalThis, projects: data.length, code: error.code });
};
