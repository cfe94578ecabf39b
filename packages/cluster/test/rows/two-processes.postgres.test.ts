import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { rm } from "node:fs/promises";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { temporaryDirectory } from "../../../platform/test/cluster.js";
import { bundleProgram } from "../../../platform/test/platform-process.js";
import { StoreCluster } from "./store-cluster.js";

const cluster = new StoreCluster();
let directory: string;
let program: string;

beforeAll(async () => {
  directory = await temporaryDirectory();
  program = await bundleProgram(directory, "../../cluster/test/rows/serve-records");
});

afterAll(() => rm(directory, { recursive: true, force: true }));

interface Answer {
  readonly status: number;
  readonly code: string | undefined;
  readonly data: unknown;
  readonly nextCursor: string | null;
}

/** A server in a process of its own. */
class Server {
  private constructor(
    readonly child: ChildProcess,
    readonly baseUrl: string,
    readonly token: string,
  ) {}

  static async start(schema: string): Promise<Server> {
    const settings = JSON.stringify({ address: cluster.address, schema });
    const child = spawn(process.execPath, [program, settings], { stdio: ["pipe", "pipe", "inherit"] });
    const lines = createInterface({ input: child.stdout });
    const [line] = (await once(lines, "line")) as [string];
    const { baseUrl, token } = JSON.parse(line) as { baseUrl: string; token: string };
    return new Server(child, baseUrl, token);
  }

  /** @param token Default: that of this process. */
  async send(method: string, path: string, body?: object, token = this.token): Promise<Answer> {
    const response = await fetch(this.baseUrl + path, {
      method,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const parsed = (text === "" ? {} : JSON.parse(text)) as {
      data?: unknown;
      error?: { code: string };
      pagination?: { nextCursor: string | null };
    };
    return {
      status: response.status,
      code: parsed.error?.code,
      data: parsed.data,
      nextCursor: parsed.pagination?.nextCursor ?? null,
    };
  }

  async stop(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const exited = once(this.child, "exit");
    this.child.stdin?.end();
    await exited;
  }

  async kill(): Promise<void> {
    const exited = once(this.child, "exit");
    this.child.kill("SIGKILL");
    await exited;
  }
}

let servers: Server[] = [];

beforeEach(async () => {
  const schema = cluster.newSchema();
  servers = await Promise.all([Server.start(schema), Server.start(schema)]);
  return async () => {
    await Promise.all(servers.map((server) => server.stop()));
  };
});

const serverFor = (index: number): Server => {
  const server = servers[index % servers.length];
  if (server === undefined) throw new Error("No server runs");
  return server;
};

let sent = 0;

/** Sends each request to another process than the one before, with a token of either. */
const send = (method: string, path: string, body?: object): Promise<Answer> => {
  sent += 1;
  return serverFor(sent).send(method, path, body, serverFor(sent >> 1).token);
};

const idOf = ({ status, data, code }: Answer): string => {
  expect(code).toBeUndefined();
  expect([200, 201]).toContain(status);
  return (data as { id: string }).id;
};

const statusesOf = (answers: readonly Answer[]): number[] => answers.map(({ status }) => status);

describe("two processes on the same records", () => {
  it("serve one API by turns", async () => {
    const project = idOf(await send("POST", "/v1/projects", { name: "shop", createDatabase: false }));
    const database = idOf(await send("POST", `/v1/projects/${project}/databases`, { name: "data" }));
    await vi.waitFor(async () => {
      const { data } = await send("GET", `/v1/databases/${database}`);
      expect(data).toMatchObject({ status: "ready" });
    });
    const connection = idOf(await send("POST", `/v1/databases/${database}/connections`, { name: "app" }));
    const rotated = await send("POST", `/v1/connections/${connection}/rotate`);
    expect(rotated.status).toBe(200);
    const branch = idOf(await send("POST", `/v1/projects/${project}/branches`, { gitName: "dev" }));
    const service = idOf(await send("POST", "/v1/services", { projectId: project, displayName: "web" }));
    expect((await send("PATCH", `/v1/projects/${project}`, { name: "renamed" })).status).toBe(200);
    expect((await send("GET", `/v1/projects/${project}`)).data).toMatchObject({ name: "renamed" });
    expect((await send("GET", "/v1/projects")).data).toHaveLength(1);
    for (const path of [
      `/v1/services/${service}`,
      `/v1/branches/${branch}`,
      `/v1/connections/${connection}`,
      `/v1/databases/${database}`,
      `/v1/projects/${project}`,
    ]) {
      expect([path, (await send("DELETE", path)).status]).toEqual([path, 204]);
      expect([path, (await send("GET", path)).status]).toEqual([path, 404]);
      expect([path, (await send("DELETE", path)).status]).toEqual([path, 404]);
    }
  });

  it("give a logicalId to one of 40 requests", async () => {
    const body = { name: "one", logicalId: "taken", createDatabase: false };
    const answers = await Promise.all(Array.from({ length: 40 }, () => send("POST", "/v1/projects", body)));
    expect(statusesOf(answers).filter((status) => status === 201)).toHaveLength(1);
    expect(statusesOf(answers).filter((status) => status === 409)).toHaveLength(39);
    expect((await send("GET", "/v1/projects")).data).toHaveLength(1);
  });

  it("neither lose nor repeat a row while a client pages and rows are inserted", async () => {
    const count = Number(process.env["MGMT_TEST_INSERTS"] ?? 100);
    const created: string[] = [];
    let isDone = false;
    const insert = async (worker: number): Promise<void> => {
      for (let index = worker; index < count; index += 8) {
        const body = { name: `p${String(index)}`, createDatabase: false };
        created.push(idOf(await serverFor(index).send("POST", "/v1/projects", body)));
      }
    };
    const walk = async (): Promise<string[]> => {
      const seen: string[] = [];
      let cursor: string | null = null;
      // Keeps reading after the last page, from its last row, until all rows are inserted.
      for (let wasDone = false; ; wasDone = isDone) {
        const query: string = cursor === null ? "" : `&cursor=${cursor}`;
        const page: Answer = await send("GET", `/v1/projects?limit=3${query}`);
        expect(page.status).toBe(200);
        seen.push(...(page.data as { id: string }[]).map(({ id }) => id));
        if (page.nextCursor !== null) cursor = page.nextCursor;
        else if (wasDone) return seen;
        else seen.splice(seen.length - (page.data as unknown[]).length);
      }
    };
    const walking = walk();
    await Promise.all(Array.from({ length: 8 }, (_, worker) => insert(worker)));
    isDone = true;
    const seen = await walking;
    expect(seen).toHaveLength(count);
    expect(new Set(seen)).toEqual(new Set(created));
  });

  it("keep what one has acknowledged before it was killed, and the other completes its jobs", async () => {
    const [killed, other] = [serverFor(0), serverFor(1)];
    const answers = Array.from({ length: 10 }, (_, index) =>
      killed.send("POST", "/v1/projects", { name: `p${String(index)}` }).catch(() => undefined),
    );
    await Promise.race(answers);
    await killed.kill();
    const acknowledged = (await Promise.all(answers)).filter((answer) => answer?.status === 201);
    expect(acknowledged.length).toBeGreaterThan(0);
    await vi.waitFor(
      async () => {
        const projects = (await other.send("GET", "/v1/projects?limit=50")).data as { id: string }[];
        const databases = (await other.send("GET", "/v1/databases?limit=50")).data as { status: string }[];
        const ids = new Set(projects.map(({ id }) => id));
        expect(acknowledged.every((answer) => answer && ids.has(idOf(answer)))).toBe(true);
        expect(databases).toHaveLength(projects.length);
        expect(databases.filter(({ status }) => status !== "ready")).toEqual([]);
      },
      { interval: 100 },
    );
  });
});
