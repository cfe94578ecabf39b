import { afterEach, describe, expect, it } from "vitest";
import { runInProcess } from "../../test/in-process.js";
import { createLine, creates } from "../../test/run/create-lines.js";
import { useSession } from "../../test/terminal.js";

const session = useSession({ validateResponses: false });
afterEach(() => session.server.engine.faults.clear());

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
      const { status, error } = await lose(await createLine(session, id), { operation: id, drop: "after" });
      expect({ status, code: error.code }).toEqual({ status: 8, code: "outcome:unknown" });
      expect(error.hint).not.toContain("base URL");
      const [command, ...next] = error.next[0] ?? [];
      expect([command, next.includes("ensure")]).toEqual(["mgmt", true]);
      const ensured = await runInProcess([...next, "-o", "json"], session);
      expect(ensured.status).toBe(0);
      expect(ensured.stderr).toContain("ensure:existed");
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
    const line = await createLine(session, "projects.create");
    const { status, error } = await lose(line, { operation: "projects.create", ...fault });
    expect({ status, code: error.code }).toEqual({ status: 8, code: "outcome:unknown" });
  });

  it.each([
    ["a refused request", { status: 500 }, 1],
    ["a rate limit", { status: 429, times: 9 }, 9],
    ["a 503 with Retry-After", { status: 503, times: 9 }, 9],
  ])("is not %s", async (_, fault, code) => {
    const { status, error } = await lose(await createLine(session, "projects.create"), fault);
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
