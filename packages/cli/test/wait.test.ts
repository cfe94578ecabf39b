import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runInProcess } from "./in-process.js";
import { type Session, startSession } from "./terminal.js";

let session: Session;
beforeAll(async () => {
  session = await startSession({ settings: { lifecycle: { provisioning: 150, recovering: 150 } } });
});
afterAll(() => session.close());

type Fault = Parameters<Session["server"]["engine"]["faults"]["add"]>[0];

interface Created {
  id: string;
  status: string;
  connectionString: string;
  database: { id: string; status: string; connectionString: string } | null;
}
const created = (json: unknown): Created => json as Created;

/** Starts a server whose databases keep their status until a test changes it. */
const startStuck = async (): Promise<Session> =>
  startSession({ settings: { lifecycle: { provisioning: 3_600_000, recovering: 3_600_000 } } });

describe("--wait", () => {
  it("prints the response of the create with its secrets, once the database is ready", async () => {
    const { mgmt, server } = session;
    const plain = created((await mgmt`projects create one -o json`).json);
    expect(plain.database?.status).toBe("provisioning");
    const { json, stderr, status } = await mgmt`projects create two --wait --output json`;
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    const project = created(json);
    expect(project.database?.status).toBe("ready");
    expect(project.database?.connectionString).toMatch(/^postgres:\/\//);
    expect(server.engine.store.databases.get(project.database?.id ?? "")?.status).toBe("ready");
  });

  it("waits after both create operations, and after a restore", async () => {
    const { mgmt, server } = session;
    const { id, database } = await server.engine.seed.project();
    const backup = await server.engine.seed.backup(database?.id ?? "");
    const source = [
      "--source-type",
      "backup",
      "--source-database-id",
      database?.id ?? "",
      "--source-backup-id",
      backup.id,
    ];
    const lines = [
      mgmt`projects databases create ${id} --wait -o json`,
      mgmt`databases create --project-id ${id} --wait --timeout 1m -o json`,
      runInProcess(["databases", "restore", database?.id ?? "", ...source, "--wait", "--yes", "-o", "json"], {
        env: session.env,
      }),
    ];
    for (const { json, status } of await Promise.all(lines)) {
      expect(status).toBe(0);
      expect(created(json).status).toBe("ready");
    }
  });

  it("prints what it waits for, and that there is nothing to wait for without a database", async () => {
    const { mgmt } = session;
    const { stderr, stdout } = await mgmt`projects create three --wait`;
    expect(stderr).toMatch(
      /^Database db_\S+ is provisioning. Waiting until it is ready.\nDatabase db_\S+ is ready.\n$/,
    );
    expect(stdout).toMatch(/^database status +ready$/m);
    const none = await mgmt`projects create four --no-create-database --wait`;
    expect(none).toMatchObject({
      status: 0,
      stderr: "No database was created, so there is nothing to wait for.\n",
    });
  });

  it("exits with 8 at the timeout, and still prints the response", async () => {
    const slow = await startStuck();
    const { status, json, errors } = await slow.mgmt`projects create shop --wait --timeout 300ms -o json`;
    expect(status).toBe(8);
    expect(created(json).database).toMatchObject({
      status: "provisioning",
      connectionString: expect.stringMatching(/^postgres:/),
    });
    expect(errors).toEqual([{ error: expect.objectContaining({ code: "wait:timeout" }) }]);
    await slow.close();
  });

  it("exits with 1 if the database fails, and still prints the response", async () => {
    const slow = await startStuck();
    const { engine } = slow.server;
    const waiting = slow.mgmt`projects create shop --wait -o json`;
    const database = await until(() => engine.store.databases.find({}));
    await engine.states.setDatabaseStatus(database.id, "failure");
    const { status, json, errors } = await waiting;
    expect(status).toBe(1);
    expect(created(json).database?.status).toBe("failure");
    expect(errors).toEqual([{ error: expect.objectContaining({ code: "database:failed" }) }]);
    await slow.close();
  });

  it("exits with 130 on Ctrl-C, and still prints the response with its secrets", async () => {
    const slow = await startStuck();
    const { engine } = slow.server;
    const polled = until(() => engine.requests.find(({ operationId }) => operationId === "databases.get"));
    const { status, json } = await runInProcess(["projects", "create", "shop", "--wait", "-o", "json"], {
      env: slow.env,
      interrupt: polled,
    });
    expect(status).toBe(130);
    expect(created(json).database?.connectionString).toMatch(/^postgres:/);
    await slow.close();
  });

  it.each<[string, Fault]>([
    ["a 503", { status: 503 }],
    ["a rate limit", { status: 429 }],
    ["a lost connection", { drop: "before" }],
  ])("survives %s while it polls", async (_, fault) => {
    const { mgmt, server } = session;
    server.engine.faults.add({ operation: "databases.get", times: 4, ...fault });
    const { status, json } = await mgmt`projects create five --wait -o json`;
    expect(status).toBe(0);
    expect(created(json).database?.status).toBe("ready");
    expect(
      server.engine.requests.filter(({ operationId }) => operationId === "databases.get").length,
    ).toBeGreaterThan(4);
  });

  it("exits with the code of a poll that fails permanently, and still prints the response", async () => {
    const { mgmt, server } = session;
    server.engine.faults.add({ operation: "databases.get", status: 403, times: 1 });
    const { status, json } = await mgmt`projects create five --wait -o json`;
    expect(status).toBe(5);
    expect(created(json).database?.connectionString).toMatch(/^postgres:/);
  });

  it("exits with 8 if every poll fails until the timeout, and still prints the response", async () => {
    const slow = await startStuck();
    slow.server.engine.faults.add({ operation: "databases.get", drop: "before" });
    const { status, json, errors } = await slow.mgmt`projects create five --wait --timeout 300ms -o json`;
    expect(status).toBe(8);
    expect(created(json).database?.connectionString).toMatch(/^postgres:/);
    expect(errors).toEqual([{ error: expect.objectContaining({ code: "wait:timeout" }) }]);
    await slow.close();
  });
});

const until = async <T>(look: () => T | undefined): Promise<T> => {
  for (;;) {
    const found = look();
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
};
