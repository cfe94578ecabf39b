import { readFile } from "node:fs/promises";
import { Client } from "pg";
import type { Ready } from "../src/index.js";

/** The fields of responses that these tests read. The tests of the contract check all of them. */
export interface Resource {
  id: string;
  status: string;
  connectionString: string;
  directConnection: { host: string; user: string; pass: string };
  connections: { id: string; endpoints: Record<string, { host: string; port: number }> }[];
  database: Resource;
  size: number;
}

const parse = async (response: Response): Promise<{ data: Resource } & Resource> => {
  const text = await response.text();
  if (!response.ok) throw new Error(`${String(response.status)} ${text}`);
  return JSON.parse(text || "{}");
};

/** Calls the API with the service token and returns the `data` of the response. */
export const call = async (ready: Ready, method: string, path: string, body?: object): Promise<Resource> => {
  const response = await fetch(ready.baseUrl + path, {
    method,
    headers: { authorization: `Bearer ${ready.token}`, ...(body && { "content-type": "application/json" }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  return (await parse(response)).data;
};

/** Calls the control surface. */
export const control = async (
  ready: Ready,
  method: string,
  path: string,
  body?: object,
): Promise<Resource> => {
  const secret = await readFile(ready.controlSecretFile, "utf8");
  const response = await fetch(ready.controlUrl + path, {
    method,
    headers: { "x-mgmt-control-secret": secret, ...(body && { "content-type": "application/json" }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  return parse(response);
};

/** Waits until the database is `ready` or in `failure`, and returns its status. */
export const finalStatus = async (ready: Ready, databaseId: string): Promise<string> => {
  for (;;) {
    const { status } = await call(ready, "GET", `/v1/databases/${databaseId}`);
    if (status === "ready" || status === "failure") return status;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
};

/** Creates a project and waits until its database is ready. */
export const makeProject = async (ready: Ready): Promise<Resource> => {
  const project = await call(ready, "POST", "/v1/projects", { name: "shop", region: "eu-central-1" });
  await finalStatus(ready, project.database.id);
  return project;
};

/** Runs a statement on a new connection. */
export const query = async (connectionString: string, text: string): Promise<object[]> => {
  const client = new Client({ connectionString });
  client.on("error", () => undefined);
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
};
