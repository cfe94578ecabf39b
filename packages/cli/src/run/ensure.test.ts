import { afterEach, describe, expect, it } from "vitest";
import { runInProcess } from "../../test/in-process.js";
import { createLine, creates } from "../../test/run/create-lines.js";
import { useSession } from "../../test/terminal.js";

const session = useSession({ validateResponses: false });
afterEach(() => session.server.engine.faults.clear());

const idIn = (value: unknown): string => (value as { id: string }).id;

describe("ensure", () => {
  it.each(creates.map(({ id }) => id))("creates one resource however often it runs: %s", async (id) => {
    const line = await createLine(session, id, "ensure");
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
    const line = await createLine(session, id);
    const first = await runInProcess([...line, "--if-not-exists"], session);
    const second = await runInProcess([...line, "--if-not-exists"], session);
    expect([first.status, second.status]).toEqual([0, 0]);
    expect(idIn(second.json)).toBe(idIn(first.json));
  });

  it("prints a new database with a connection, and an existing one without", async () => {
    const line = await createLine(session, "databases.create", "ensure");
    const first = await runInProcess(line, session);
    expect(first.json).toMatchObject({
      connection: { connectionString: expect.stringMatching(/^postgres:/) },
    });
    const second = await runInProcess(line, session);
    expect(second.json).not.toHaveProperty("connection");
  });

  it.each(["create", "ensure"])("creates no connection with --no-connection: databases %s", async (verb) => {
    const line = [...(await createLine(session, "databases.create", verb)), "--no-connection"];
    const planned = await runInProcess([...line, "--dry-run"], session);
    expect(planned.json).toHaveLength(1);
    const { status, json } = await runInProcess(line, session);
    expect(status).toBe(0);
    expect(json).not.toHaveProperty("connection");
    const connections = session.server.engine.rows.connections.list({ databaseId: idIn(json) });
    expect([...connections].map(({ name }) => name)).not.toContain("mgmt");
  });

  it("finds the resource whose creation lost its response", async () => {
    const line = await createLine(session, "projects.create", "ensure");
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
    const line = await createLine(session, "databases.create", "ensure");
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
