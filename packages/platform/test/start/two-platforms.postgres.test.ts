import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Client } from "pg";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { chooseEphemeralParent } from "../../src/machine/data-dir/directories.js";
import { PostgresServer, type ServerOptions } from "../../src/machine/postgres/server.js";
import { adminPassword, makeCluster, temporaryDirectory } from "../cluster.js";
import { bundleProgram } from "../platform-process.js";
import type { ServeDatabases } from "../serve-databases.js";

let directory: string;
let options: ServerOptions;
let postgres: PostgresServer;
let program: string;
/** The schema with the records of the installation. */
const schema = "mgmt_two";

beforeAll(async () => {
  directory = await temporaryDirectory(await chooseEphemeralParent());
  program = await bundleProgram(directory, "serve-databases");
  options = await makeCluster(directory);
  postgres = await PostgresServer.start(options);
});

afterAll(async () => {
  await postgres.stop();
  await rm(directory, { recursive: true, force: true });
});

interface Login {
  id: string;
  user: string;
  pass: string;
}

/** A platform in a process of its own, on the cluster of all. */
class Platform {
  private constructor(
    readonly child: ChildProcess,
    readonly baseUrl: string,
    readonly token: string,
    readonly databasePort: number,
  ) {}

  static async start(): Promise<Platform> {
    const { port, binaries } = options;
    const settings: ServeDatabases = {
      admin: { host: "127.0.0.1", port, user: "postgres", password: adminPassword },
      major: binaries.major,
      records: { host: "127.0.0.1", port, user: "postgres", password: adminPassword, database: "postgres" },
      schema,
      socketFile: join(options.directory, `.s.PGSQL.${String(port)}`),
      tls: join(directory, "tls"),
    };
    const child = spawn(process.execPath, [program, JSON.stringify(settings)], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    const [line] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
    const ready = JSON.parse(line) as Pick<Platform, "baseUrl" | "token" | "databasePort">;
    const platform = new Platform(child, ready.baseUrl, ready.token, ready.databasePort);
    started.push(platform);
    return platform;
  }

  async send(method: string, path: string, body?: object): Promise<{ status: number; data: unknown }> {
    const response = await fetch(this.baseUrl + path, {
      method,
      headers: { authorization: `Bearer ${this.token}`, "content-type": "application/json" },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return {
      status: response.status,
      data: text === "" ? undefined : (JSON.parse(text) as { data?: unknown }).data,
    };
  }

  /** Creates a project with a database, and returns the id of the database. */
  async createDatabase(name: string): Promise<string> {
    const { status, data } = await this.send("POST", "/v1/projects", { name });
    expect(status).toBe(201);
    return (data as { database: { id: string } }).database.id;
  }

  async statusOf(databaseId: string): Promise<string> {
    return ((await this.send("GET", `/v1/databases/${databaseId}`)).data as { status: string }).status;
  }

  async untilReady(databaseId: string): Promise<void> {
    await vi.waitFor(async () => expect(await this.statusOf(databaseId)).toBe("ready"));
  }

  async createConnection(databaseId: string): Promise<Login> {
    const { status, data } = await this.send("POST", `/v1/databases/${databaseId}/connections`, {
      name: "app",
    });
    expect(status).toBe(200);
    const { id, endpoints } = data as {
      id: string;
      endpoints: { direct: { connectionString: string } };
    };
    const { username, password } = new URL(endpoints.direct.connectionString);
    return { id, user: username, pass: password };
  }

  /** Connects through this process. Returns the name of the database. */
  async login({ user, pass }: Pick<Login, "user" | "pass">): Promise<string> {
    const client = new Client({
      ...{ host: "127.0.0.1", port: this.databasePort, user, password: pass, database: "postgres" },
      ssl: { rejectUnauthorized: false },
    });
    client.on("error", () => undefined);
    await client.connect();
    try {
      const { rows } = await client.query<{ name: string }>("select current_database() as name");
      return rows[0]?.name ?? "";
    } finally {
      await client.end();
    }
  }

  async stop(signal?: "SIGKILL"): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const exited = once(this.child, "exit");
    if (signal === undefined) this.child.stdin?.end();
    else this.child.kill(signal);
    await exited;
  }
}

const started: Platform[] = [];

afterEach(async () => {
  for (const platform of started.splice(0)) await platform.stop();
});

const refused = { code: "28P01" };

describe("two platforms on one cluster", () => {
  it("know each other's logins at once, and refuse each other's deleted ones", async () => {
    const first = await Platform.start();
    const second = await Platform.start();
    for (const [one, other] of [
      [first, second],
      [second, first],
    ] as const) {
      const databaseId = await one.createDatabase("shop");
      await other.untilReady(databaseId);
      const login = await one.createConnection(databaseId);
      expect(await other.login(login)).toBe(databaseId);
      expect(await one.login(login)).toBe(databaseId);
      expect((await other.send("DELETE", `/v1/connections/${login.id}`)).status).toBe(204);
      await expect(one.login(login)).rejects.toMatchObject(refused);
      await expect(other.login(login)).rejects.toMatchObject(refused);
    }
    await expect(first.login({ user: "nobody", pass: "x" })).rejects.toMatchObject(refused);
  });

  it("do not disturb each other when one is killed and started again and again", async () => {
    const working = await Platform.start();
    let isDone = false;
    const made: string[] = [];
    const work = async (): Promise<void> => {
      while (!isDone) {
        const databaseId = await working.createDatabase("shop");
        made.push(databaseId);
        await working.untilReady(databaseId);
        const login = await working.createConnection(databaseId);
        expect(await working.login(login)).toBe(databaseId);
      }
    };
    const worked = Promise.all([work(), work()]).finally(() => (isDone = true));
    // Awaited later.
    worked.catch(() => undefined);
    for (let round = 0; round < 3 && !isDone; round += 1) {
      const other = await Platform.start();
      const databaseId = await other.createDatabase("other");
      made.push(databaseId);
      // The other process completes what was acknowledged.
      await other.stop("SIGKILL");
    }
    isDone = true;
    await worked;
    for (const databaseId of made) await working.untilReady(databaseId);
    const last = await Platform.start();
    for (const databaseId of made) {
      expect([databaseId, await last.statusOf(databaseId)]).toEqual([databaseId, "ready"]);
      expect(await last.login(await working.createConnection(databaseId))).toBe(databaseId);
    }
  });
});
