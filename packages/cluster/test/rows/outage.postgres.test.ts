import { rm } from "node:fs/promises";
import { DatabaseUnavailableError } from "@mgmt/engine";
import { StoredServer } from "@mgmt/engine/internal";
import { createServer } from "@mgmt/engine/http";
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { ModelDatabases } from "../../../engine/test/rules/model-databases.js";
import { chooseEphemeralParent } from "../../../platform/src/machine/data-dir/directories.js";
import { PostgresServer, type ServerOptions } from "../../../platform/src/machine/postgres/server.js";
import { type OpenRecords, openRecords } from "../../src/rows/open-records.js";
import { createTestKeys } from "./record-keys.js";
import { adminPassword, makeCluster, temporaryDirectory } from "../../../platform/test/cluster.js";

let directory: string;
let options: ServerOptions;
let postgres: PostgresServer;

const addressOf = (database: string) => ({
  ...{ host: "127.0.0.1", port: options.port, user: "postgres", password: adminPassword },
  database,
});

beforeAll(async () => {
  directory = await temporaryDirectory(await chooseEphemeralParent());
  options = await makeCluster(directory);
  postgres = await PostgresServer.start(options);
  const client = new Client(addressOf("postgres"));
  await client.connect();
  await client.query("create database records template template0");
  await client.query("revoke all on database records from public");
  await client.end();
});

afterAll(async () => {
  await postgres.stop();
  await rm(directory, { recursive: true, force: true });
});

const controlSecret = "not-a-secret";

/** Serves the API from a schema of its own. */
const serve = async (schema: string, databaseEngine = new ModelDatabases()) => {
  const records: OpenRecords = await openRecords(addressOf("records"), {
    schema,
    keys: createTestKeys(),
  });
  const defects: unknown[] = [];
  const { engine, baseUrl, close } = await createServer({
    controlSecret,
    createEngine: (address) =>
      StoredServer.open({
        records,
        databaseEngine,
        settings: { baseUrl: address.baseUrl, authUrl: address.baseUrl, lifecycle: { provisioning: 0 } },
        onDefect: (error) => defects.push(error),
      }),
  });
  engine.start();
  const token = await engine.tokens.user();
  const send = (method: string, path: string, body?: object, bearer = token) =>
    fetch(baseUrl + path, {
      method,
      headers: {
        authorization: `Bearer ${bearer}`,
        "content-type": "application/json",
        "x-mgmt-control-secret": controlSecret,
      },
      ...(body && { body: JSON.stringify(body) }),
    });
  const end = async () => {
    await close(0);
    await records.close();
    expect(defects).toEqual([]);
  };
  return { engine, send, end };
};

describe("while Postgres is not running", () => {
  it("responds with 503 and Retry-After on every endpoint, and recovers when Postgres is back", async () => {
    const { engine, send, end } = await serve("away");
    expect((await send("POST", "/v1/projects", { name: "before" })).status).toBe(201);
    await postgres.stop();
    try {
      const asked = [
        send("GET", "/v1/projects"),
        send("POST", "/v1/projects", { name: "never" }),
        send("GET", "/_control/clock"),
        send("POST", "/_control/seed/user", {}),
      ];
      for (const response of await Promise.all(asked)) {
        expect([response.url, response.status]).toEqual([response.url, 503]);
        expect(response.headers.get("retry-after")).toBe("1");
        expect(await response.json()).toMatchObject({
          error: { code: "internal:unavailable", hint: expect.stringContaining("1 s") as unknown },
        });
      }
      const form = new URLSearchParams({ grant_type: "refresh_token", refresh_token: "x", client_id: "y" });
      const token = await fetch(`${engine.settings.baseUrl}/token`, { method: "POST", body: form });
      expect([token.status, token.headers.get("retry-after")]).toEqual([503, "1"]);
      expect(await token.json()).toMatchObject({ error: "temporarily_unavailable" });
      await expect(engine.snapshot()).rejects.toThrow(DatabaseUnavailableError);
      await expect(openRecords(addressOf("records"), { keys: createTestKeys() })).rejects.toThrow(
        DatabaseUnavailableError,
      );
    } finally {
      postgres = await PostgresServer.start(options);
    }
    const list = await send("GET", "/v1/projects");
    expect(list.status).toBe(200);
    const { data } = (await list.json()) as { data: { name: string }[] };
    expect(data.map(({ name }) => name)).toEqual(["before"]);
    await end();
  });

  it("delays jobs, and completes their work when Postgres is back", async () => {
    const databases = new ModelDatabases();
    const { send, end } = await serve("job", databases);
    const held = databases.hold("create");
    const created = (await (await send("POST", "/v1/projects", { name: "shop" })).json()) as {
      data: { database: { id: string } };
    };
    await held.begun;
    await postgres.stop();
    held.release();
    expect((await send("GET", "/v1/projects")).status).toBe(503);
    postgres = await PostgresServer.start(options);
    await vi.waitFor(async () => {
      const response = await send("GET", `/v1/databases/${created.data.database.id}`);
      expect(await response.json()).toMatchObject({ data: { status: "ready" } });
    });
    await end();
  });

  it.each([
    { what: "a deletion", method: "DELETE", work: "drop", path: (id: string) => `/v1/databases/${id}` },
    {
      what: "a rotation",
      method: "POST",
      work: "grant",
      path: (_: string, connectionId: string) => `/v1/connections/${connectionId}/rotate`,
    },
  ] as const)(
    "responds with 503 without Retry-After to $what that began, also if it was approved",
    async ({ what, method, work, path }) => {
      const databases = new ModelDatabases();
      const { engine, send, end } = await serve(what.replace(" ", "_"), databases);
      const database = await engine.seed.database((await engine.seed.project()).id);
      const { id: connectionId } = await engine.seed.connection(database.id);
      const agent = await engine.tokens.agent();
      const change = () => send(method, path(database.id, connectionId), undefined, agent);
      expect((await change()).status).toBe(403);
      await engine.approvals.approve((await engine.approvals.list())[0]?.id ?? "");
      const held = databases.hold(work);
      const response = change();
      await held.begun;
      await postgres.stop();
      databases.fail(work, new DatabaseUnavailableError("no connection"));
      held.release();
      expect((await response).status).toBe(503);
      expect((await response).headers.get("retry-after")).toBeNull();
      postgres = await PostgresServer.start(options);
      await end();
    },
  );

  it("recovers when all sessions have ended", async () => {
    const { send, end } = await serve("sessions");
    expect((await send("POST", "/v1/projects", { name: "shop" })).status).toBe(201);
    const client = new Client(addressOf("postgres"));
    await client.connect();
    await client.query("select pg_terminate_backend(pid) from pg_stat_activity where datname = 'records'");
    await client.end();
    await vi.waitFor(async () =>
      expect((await send("POST", "/v1/projects", { name: "shop" })).status).toBe(201),
    );
    expect((await send("GET", "/v1/projects")).status).toBe(200);
    await end();
  });
});
