import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { send } from "../programs/send.js";
import type { Place } from "../programs/calls.js";

/** Milliseconds between two looks at a database's status. */
const pollInterval = 2;

interface Created {
  id: string;
  status: string;
  connectionString: string;
}

/** Proves that the server asks for a token before it creates anything. */
export const proveGuarded = async ({ baseUrl }: Place): Promise<void> => {
  const answer = await send({ url: `${baseUrl}/v1/projects`, method: "POST", body: { name: "bench" } });
  assert.equal(answer.status, 401, answer.body);
};

/** Creates a project together with its database; what a first user does. */
export const createProject = async (place: Place): Promise<Created & { projectId: string }> => {
  const answer = await post(place, "/v1/projects", { name: "bench" });
  const { data }: { data: { id: string; database: Created } } = JSON.parse(answer);
  return { ...created(data.database), projectId: data.id };
};

export const createDatabase = async (place: Place, projectId: string): Promise<Created> => {
  const answer = await post(place, `/v1/projects/${projectId}/databases`, { name: "bench" });
  const { data }: { data: Created } = JSON.parse(answer);
  return created(data);
};

/** Waits until the database is ready, connects as its tenant and runs `select 1`. */
export const selectOnce = async (place: Place, { id, connectionString }: Created): Promise<void> => {
  for (let status = ""; status !== "ready";) {
    const answer = await send({ url: `${place.baseUrl}/v1/databases/${id}`, token: place.token });
    assert.equal(answer.status, 200, answer.body);
    const { data }: { data: Created } = JSON.parse(answer.body);
    ({ status } = data);
    assert.notEqual(status, "failure");
    if (status !== "ready") await sleep(pollInterval);
  }
  await queryOne(connectionString);
};

/** A new connection that runs `select 1`. */
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

/** Proves that the connection is a tenant's: no superuser, and refused with another password. The server's version. */
export const proveTenant = async (connectionString: string): Promise<string> => {
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

const post = async ({ baseUrl, token }: Place, path: string, body: unknown): Promise<string> => {
  const answer = await send({ url: baseUrl + path, method: "POST", token, body });
  assert.equal(answer.status, 201, answer.body);
  return answer.body;
};

const created = (database: Created): Created => {
  assert.equal(database.status, "provisioning");
  assert.equal(new URL(database.connectionString).protocol.startsWith("postgres"), true);
  return database;
};
