import { readFile } from "node:fs/promises";
import { Client } from "pg";
import type { Ready } from "../src/index.js";

/** What tests read of answers; the contract's own tests look at all of it. */
export interface Resource {
  id: string;
  status: string;
  connectionString: string;
  connections: { id: string }[];
  database: Resource;
  size: number;
}

const parse = async (response: Response): Promise<{ data: Resource } & Resource> => {
  const text = await response.text();
  if (!response.ok) throw new Error(`${String(response.status)} ${text}`);
  return JSON.parse(text || "{}");
};

/** Calls the API with the service token; gives the `data` of the answer. */
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

/** Waits until the database has come to the end of its way. */
export const settled = async (ready: Ready, databaseId: string): Promise<string> => {
  for (;;) {
    const { status } = await call(ready, "GET", `/v1/databases/${databaseId}`);
    if (status === "ready" || status === "failure") return status;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
};

/** A project with its database, ready. */
export const makeProject = async (ready: Ready): Promise<Resource> => {
  const project = await call(ready, "POST", "/v1/projects", { name: "shop", region: "eu-central-1" });
  await settled(ready, project.database.id);
  return project;
};

/** Runs one statement on a new connection. */
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
