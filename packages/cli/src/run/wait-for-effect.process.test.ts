import { describe, expect, it } from "vitest";
import { ensureBuilt } from "../../test/bin.js";
import { runInProcess } from "../../test/in-process.js";
import { inPty, type Step } from "../../test/pty.js";
import { type Session, startSession, useSession } from "../../test/terminal.js";

const session = useSession({ settings: { lifecycle: { provisioning: 150, recovering: 150 } } });

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

describe("--wait for a deployment", () => {
  it("waits until it is running after a start", async () => {
    const { mgmt, server } = session;
    const { seed, rows } = server.engine;
    const app = await seed.app((await seed.project()).id);
    const { id } = await seed.deployment(app.id);
    const { status, stderr, json } = await mgmt`deployments start ${id} --wait -o json`;
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(Object.keys(json as object)).toEqual(["previewDomain"]);
    expect(rows.deployments.get(id)?.status).toBe("running");
    const stopped = await seed.deployment(app.id, { status: "stopped" });
    expect((await mgmt`deployments start ${stopped.id} --wait`).stderr).toMatch(
      /^Waiting until deployment dpl_\w+ is running\.\nDeployment dpl_\w+ is provisioning\.\nDeployment dpl_\w+ is running\.\n$/,
    );
  });

  it("exits with 1 if it fails, and with 8 at the timeout", async () => {
    const slow = await startSession({ settings: { lifecycle: { deploymentStart: 3_600_000 } } });
    const { seed, states } = slow.server.engine;
    const app = await seed.app((await seed.project()).id);
    const { id } = await seed.deployment(app.id);
    expect((await slow.mgmt`deployments start ${id} --wait --timeout 300ms`).status).toBe(8);
    await states.setDeploymentStatus(id, "failed");
    const starting = slow.mgmt`deployments start ${id} --wait -o json`;
    await until(() => slow.server.engine.rows.deployments.get(id)?.status === "provisioning" || undefined);
    await states.setDeploymentStatus(id, "failed");
    const { status, errors } = await starting;
    expect({ status, errors }).toEqual({
      status: 1,
      errors: [{ error: expect.objectContaining({ code: "deployment:failed" }) }],
    });
    await slow.close();
  });

  it("waits for a new deployment that another program starts", async () => {
    const { mgmt, server } = session;
    const { seed, rows } = server.engine;
    const app = await seed.app((await seed.project()).id);
    const creating = mgmt`services deployments create ${app.id} --wait -o json`;
    const { id } = await until(() => rows.deployments.list({ appId: app.id })[0]);
    await mgmt`deployments start ${id}`;
    expect((await creating).status).toBe(0);
    expect(rows.deployments.get(id)?.status).toBe("running");
  });
});

describe("--wait for what needs no new resource", () => {
  it("waits until a deployment has stopped, and prints no result", async () => {
    const { mgmt, server } = session;
    const { seed, rows } = server.engine;
    const app = await seed.app((await seed.project()).id);
    const { id } = await seed.deployment(app.id, { status: "running" });
    const { status, stdout, stderr } = await mgmt`deployments stop ${id} --wait`;
    expect({ status, stdout }).toEqual({ status: 0, stdout: "" });
    expect(stderr).toMatch(
      /Waiting until deployment dpl_\w+ is stopped\.\n(.*\n)*Deployment dpl_\w+ is stopped\.\n$/,
    );
    expect(rows.deployments.get(id)?.status).toBe("stopped");
  });

  it("says what continues after Ctrl-C and after a timeout of a stop", async () => {
    const slow = await startSession({ settings: { lifecycle: { deploymentStop: 3_600_000 } } });
    const { engine } = slow.server;
    const app = await engine.seed.app((await engine.seed.project()).id);
    const { id } = await engine.seed.deployment(app.id, { status: "running" });
    const polled = until(() => engine.requests.find(({ operationId }) => operationId === "deployments.get"));
    const stopped = await runInProcess(["deployments", "stop", id, "--wait"], { ...slow, interrupt: polled });
    expect(stopped.status).toBe(130);
    expect(stopped.stderr).toContain(
      `The deployment continues to stop in the background. mgmt deployments get ${id} shows its status.`,
    );
    const other = await engine.seed.deployment(app.id, { status: "running" });
    const late = await slow.mgmt`deployments stop ${other.id} --wait --timeout 300ms -o json`;
    expect({ status: late.status, stdout: late.stdout }).toEqual({ status: 8, stdout: "" });
    await slow.close();
  });

  it.each(["services", "apps"])("waits until a deployment is promoted: %s", async (group) => {
    const { mgmt, server } = session;
    const { seed, rows } = server.engine;
    const app = await seed.app((await seed.project()).id);
    const { id } = await seed.deployment(app.id, { status: "running" });
    const { status, json } = await mgmt`${group} promote ${app.id} ${id} --wait -o json`;
    expect({ status, json }).toMatchObject({ status: 0, json: { reassignedDomains: 0 } });
    expect(rows.apps.get(app.id)?.latestDeploymentId).toBe(id);
  });

  it("waits until the recipient of a transfer can read the project", async () => {
    const { server, as } = session;
    const { id } = await server.engine.seed.project();
    const recipient = await server.engine.tokens.otherUser();
    const mgmt = as(session.env["MGMT_TOKEN"] ?? "", { stdin: recipient });
    const line = mgmt`projects transfer ${id} --recipient-access-token-file - --yes --wait`;
    const { status, stdout, stderr } = await line;
    expect({ status, stdout }).toEqual({ status: 0, stdout: "" });
    expect(stderr).toContain(`Project ${id} has arrived in the other workspace.`);
    const reads = server.engine.requests.filter(
      ({ operationId, path }) => operationId === "projects.get" && path.includes(id),
    );
    expect(reads.map(({ status: code }) => code)).toEqual([200]);
  });

  it("is refused together with --ndjson, and nothing is sent", async () => {
    const { mgmt, server } = session;
    const before = server.engine.requests.length;
    const { status, stderr } = await mgmt`projects create --ndjson - --wait`;
    expect(status).toBe(2);
    expect(stderr).toContain("--ndjson and --wait cannot be combined");
    expect(server.engine.requests).toHaveLength(before);
  });
});

describe("--wait on a terminal", () => {
  it("shows a spinner with the elapsed time, and removes it", async () => {
    await ensureBuilt();
    const slow = await startStuck();
    const { engine } = slow.server;
    const finish: Step = {
      when: /provisioning, 0:01/,
      type: async () => {
        const database = engine.rows.databases.find({});
        await engine.states.setDatabaseStatus(database?.id ?? "", "ready");
        return "";
      },
    };
    const { status, raw } = await inPty(["projects", "create", "shop", "--wait"], [finish], slow.env);
    expect(status).toBe(0);
    expect(raw).toMatch(/0:0\d\r\u001b\[KDatabase db_\w+ is ready\.\r\n(.*\r\u001b\[K)?\r\u001b\[K/);
    await slow.close();
  });

  it.each([20, 80, 200])(
    "leaves a clean line after Ctrl-C, and says what continues, at %i columns",
    async (columns) => {
      const slow = await startStuck();
      const press: Step = { when: /provisioning, 0:0/, type: "\u0003" };
      const words = [
        "databases",
        "create",
        "reports",
        "--project-id",
        (await slow.server.engine.seed.project()).id,
        "--wait",
      ];
      const { status, raw, screen } = await inPty(words, [press], slow.env, columns);
      expect(status).toBe(130);
      expect(raw).toMatch(
        /\r\u001b\[KProvisioning\s+continues\s+in\s+the\s+background\.\s+mgmt\s+databases\s+get\s+db_\w+\s+shows\s+its\s+status\.\r\n/,
      );
      expect(screen).toMatch(/Interrupted\s+\(run:interrupted\)\s*$/);
      await slow.close();
    },
  );
});

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
    expect(server.engine.rows.databases.get(project.database?.id ?? "")?.status).toBe("ready");
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
    const database = await until(() => engine.rows.databases.find({}));
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
    const { status, json, errors } = await runInProcess(
      ["projects", "create", "shop", "--wait", "-o", "json"],
      {
        env: slow.env,
        interrupt: polled,
      },
    );
    expect(status).toBe(130);
    const { id = "", connectionString } = created(json).database ?? {};
    expect(connectionString).toMatch(/^postgres:/);
    expect(errors[0]).toMatchObject({
      notice: { code: "wait:interrupted", next: [["mgmt", "databases", "get", id]] },
    });
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
