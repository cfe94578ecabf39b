import assert from "node:assert/strict";
import pg from "pg";
import { send } from "../programs/send.js";
import type { Target } from "../programs/calls.js";

interface Created {
  id: string;
  status: string;
  connectionString: string;
}

/** Checks that the server requires a token before it creates anything. */
export const checkTokenRequired = async ({ baseUrl }: Target): Promise<void> => {
  const response = await send({ url: `${baseUrl}/v1/projects`, method: "POST", body: { name: "bench" } });
  assert.equal(response.status, 401, response.body);
};

/** Creates a project with its database. */
export const createProject = async (target: Target): Promise<Created & { projectId: string }> => {
  const response = await post(target, "/v1/projects", { name: "bench" });
  const { data }: { data: { id: string; database: Created } } = JSON.parse(response);
  return { ...created(data.database), projectId: data.id };
};

export const createDatabase = async (target: Target, projectId: string): Promise<Created> => {
  const response = await post(target, `/v1/projects/${projectId}/databases`, { name: "bench" });
  const { data }: { data: Created } = JSON.parse(response);
  return created(data);
};

/** Opens a connection and runs `select 1`. */
export const queryOne = async (connectionString: string): Promise<void> => {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    const { rows } = await client.query<{ one: number }>("select 1 as one");
    assert.deepEqual(rows, [{ one: 1 }]);
  } finally {
    await client.end();
  }
};

/** Checks that the role is not a superuser and needs its password. Returns the server's version. */
export const checkTenant = async (connectionString: string): Promise<string> => {
  const wrong = new URL(connectionString);
  wrong.password = "wrong";
  await assert.rejects(queryOne(wrong.href), { code: "28P01" });
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    const { rows } = await client.query<{ login: string; superuser: boolean; version: string }>(
      `select session_user as login, bool_or(rolsuper) as superuser, current_setting('server_version') as version
       from pg_roles where rolname in (session_user, current_user)`,
    );
    assert.equal(rows[0]?.login, decodeURIComponent(new URL(connectionString).username));
    assert.equal(rows[0].superuser, false);
    return rows[0].version;
  } finally {
    await client.end();
  }
};

const post = async ({ baseUrl, token }: Target, path: string, body: unknown): Promise<string> => {
  const response = await send({ url: baseUrl + path, method: "POST", token, body });
  assert.equal(response.status, 201, response.body);
  return response.body;
};

const created = (database: Created): Created => {
  assert.equal(database.status, "provisioning");
  assert.equal(new URL(database.connectionString).protocol.startsWith("postgres"), true);
  return database;
};
