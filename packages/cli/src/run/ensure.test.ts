import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { groups } from "../contract/generated/groups.js";
import { runInProcess } from "../../test/in-process.js";
import { type Session, startSession } from "../../test/terminal.js";

let session: Session;
beforeAll(async () => {
  session = await startSession({ validateResponses: false });
});
afterEach(() => session.server.engine.faults.clear());
afterAll(() => session.close());

const creates = (await Promise.all(groups.map(({ load }) => load()))).flat().filter(({ ensure }) => ensure);
const idIn = (value: unknown): string => (value as { id: string }).id;

/** Returns a command line that creates a resource in a new project. */
const lineOf = async (id: string, verb = "create"): Promise<string[]> => {
  const project = await session.server.engine.seed.project();
  const lines: Record<string, string[]> = {
    "projects.create": ["projects", verb, "--logical-id", `shop-${project.id}`],
    "databases.create": ["databases", verb, "--project-id", project.id, "--logical-id", "reports"],
    "projects.branches.create": ["projects", "branches", verb, project.id, "feature/cart"],
    "services.create": ["services", verb, "web", "--project-id", project.id, "--logical-id", "web"],
    "apps.create": ["apps", verb, "web", "--project-id", project.id],
  };
  const line = lines[id];
  if (!line) throw new Error(`There is no line for ${id}`);
  return [...line, "-o", "json"];
};

describe("ensure", () => {
  it.each(creates.map(({ id }) => id))("creates one resource however often it runs: %s", async (id) => {
    const line = await lineOf(id, "ensure");
    const first = await runInProcess(line, session);
    const second = await runInProcess(line, session);
    expect([first.status, second.status]).toEqual([0, 0]);
    expect(idIn(second.json)).toBe(idIn(first.json));
    expect(first.stderr).not.toContain("ensure:existed");
    expect(second.errors).toContainEqual({
      notice: {
        code: "ensure:existed",
        message: `${idIn(first.json)} already existed and was not changed.`,
        id: idIn(first.json),
      },
    });
  });

  it.each(creates.map(({ id }) => id))("does the same as create --if-not-exists: %s", async (id) => {
    const line = await lineOf(id);
    const first = await runInProcess([...line, "--if-not-exists"], session);
    const second = await runInProcess([...line, "--if-not-exists"], session);
    expect([first.status, second.status]).toEqual([0, 0]);
    expect(idIn(second.json)).toBe(idIn(first.json));
  });

  it("prints a new database with a connection, and an existing one without", async () => {
    const line = await lineOf("databases.create", "ensure");
    const first = await runInProcess(line, session);
    expect(first.json).toMatchObject({
      connection: { connectionString: expect.stringMatching(/^postgres:/) },
    });
    const second = await runInProcess(line, session);
    expect(second.json).not.toHaveProperty("connection");
  });

  it.each(["create", "ensure"])("creates no connection with --no-connection: databases %s", async (verb) => {
    const line = [...(await lineOf("databases.create", verb)), "--no-connection"];
    const planned = await runInProcess([...line, "--dry-run"], session);
    expect(planned.json).toHaveLength(1);
    const { status, json } = await runInProcess(line, session);
    expect(status).toBe(0);
    expect(json).not.toHaveProperty("connection");
    const connections = session.server.engine.rows.connections.list({ databaseId: idIn(json) });
    expect([...connections].map(({ name }) => name)).not.toContain("mgmt");
  });

  it("finds the resource whose creation lost its response", async () => {
    const line = await lineOf("projects.create", "ensure");
    session.server.engine.faults.add({ operation: "projects.create", drop: "after", times: 1 });
    const { status, json } = await runInProcess(line, session);
    expect(status).toBe(0);
    const posts = session.server.engine.requests.filter(
      ({ operationId, body }) =>
        operationId === "projects.create" && JSON.stringify(body).includes(line[3] ?? ""),
    );
    expect(posts).toHaveLength(1);
    expect(session.server.engine.rows.projects.get(idIn(json))).toBeDefined();
  });

  it("waits for an existing database", async () => {
    const line = await lineOf("databases.create", "ensure");
    await runInProcess(line, session);
    const { status, json } = await runInProcess([...line, "--wait"], session);
    expect({ status, json }).toMatchObject({ status: 0, json: { status: "ready" } });
  });

  it("requires an identity, and says which", async () => {
    const before = session.server.engine.requests.length;
    for (const line of [
      ["projects", "ensure"],
      ["databases", "ensure", "--project-id", "proj_1"],
      ["databases", "create", "--project-id", "proj_1", "--if-not-exists"],
    ]) {
      const { status, stdout, stderr } = await runInProcess(line, session);
      expect({ status, stdout }).toEqual({ status: 3, stdout: "" });
      expect(stderr).toContain("--logical-id");
    }
    expect(session.server.engine.requests).toHaveLength(before);
  });

  it("fails for a conflict about something else", async () => {
    const { id } = await session.server.engine.seed.project();
    await session.mgmt`services create web --project-id ${id} --logical-id one`;
    const { status, stderr } = await session.mgmt`services ensure web --project-id ${id} --logical-id two`;
    expect(status).toBe(7);
    expect(stderr).toContain("app:already_exists");
  });
});

describe("a lost response", () => {
  interface Lost {
    error: { code: string; message: string; hint: string; next: string[][] };
  }
  const lose = async (
    line: readonly string[],
    fault: object,
  ): Promise<{ status: number | null; error: Lost["error"] }> => {
    session.server.engine.faults.add({ times: 1, ...fault });
    const { status, stdout, errors } = await runInProcess([...line, "-o", "json"], session);
    expect(stdout).toBe("");
    return { status, error: (errors as unknown as Lost[]).at(-1)?.error ?? expect.fail("no error") };
  };

  it.each(creates.map(({ id }) => id))(
    "exits with 8 for a create with an identity, and the next command finds the resource: %s",
    async (id) => {
      const { status, error } = await lose(await lineOf(id), { operation: id, drop: "after" });
      expect({ status, code: error.code }).toEqual({ status: 8, code: "outcome:unknown" });
      expect(error.hint).not.toContain("base URL");
      const [command, ...next] = error.next[0] ?? [];
      expect([command, next.includes("ensure")]).toEqual(["mgmt", true]);
      const found = await runInProcess([...next, "-o", "json"], session);
      expect(found.status).toBe(0);
      expect(found.stderr).toContain("ensure:existed");
    },
  );

  it("suggests the list that shows the resource for a create without an identity", async () => {
    const { id } = await session.server.engine.seed.project();
    const line = ["databases", "create", "re ports", "--project-id", id];
    const { status, error } = await lose(line, { operation: "databases.create", drop: "after" });
    expect(status).toBe(8);
    expect(error.next).toEqual([["mgmt", "databases", "list", "--project-id", id]]);
    const { json } = await runInProcess([...(error.next[0]?.slice(1) ?? []), "-o", "json"], session);
    expect(json).toContainEqual(expect.objectContaining({ name: "re ports" }));
  });

  it("suggests the command that shows the state for another change", async () => {
    const { database } = await session.server.engine.seed.project();
    const connectionId = database?.connections[0]?.id ?? "";
    const line = ["connections", "rotate", connectionId, "--yes"];
    const { status, error } = await lose(line, { operation: "connections.rotate", drop: "midway" });
    expect(status).toBe(8);
    expect(error.next).toEqual([["mgmt", "connections", "get", connectionId]]);
  });

  it.each([
    ["a gateway timeout", { status: 504, body: "<html></html>" }],
    ["a 503 without Retry-After", { status: 503, body: "<html></html>" }],
    ["an unreadable response", { status: 201, body: "<html></html>" }],
  ])("can also be %s", async (_, fault) => {
    const line = await lineOf("projects.create");
    const { status, error } = await lose(line, { operation: "projects.create", ...fault });
    expect({ status, code: error.code }).toEqual({ status: 8, code: "outcome:unknown" });
  });

  it.each([
    ["a refused request", { status: 500 }, 1],
    ["a rate limit", { status: 429, times: 9 }, 9],
    ["a 503 with Retry-After", { status: 503, times: 9 }, 9],
  ])("is not %s", async (_, fault, code) => {
    const { status, error } = await lose(await lineOf("projects.create"), fault);
    expect(status).toBe(code);
    expect(error.code).not.toBe("outcome:unknown");
  });

  it("is not a connection that was never made", async () => {
    const env = { MGMT_BASE_URL: "http://127.0.0.1:1", MGMT_TOKEN: "token" };
    const { status, stderr } = await runInProcess(["projects", "create", "shop"], { env });
    expect(status).toBe(9);
    expect(stderr).toContain("base URL");
  });
});
