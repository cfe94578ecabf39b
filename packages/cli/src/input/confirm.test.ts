import { describe, expect, it } from "vitest";
import { type Setup, inProcess, runInProcess } from "../../test/in-process.js";
import { useSession } from "../../test/terminal.js";

const session = useSession();

const project = async (name = "shop"): Promise<string> =>
  (await session.server.engine.seed.project({ name })).id;
/** Types this when the command asks. */
const typing =
  (text: string): NonNullable<Setup["reply"]> =>
  (stderr) =>
    /Continue\?|to confirm:/.test(stderr) ? text : undefined;
const exists = (id: string): boolean => session.server.engine.rows.projects.get(id) !== undefined;

describe("a command that cannot be undone", () => {
  it.each([
    ["projects delete proj_1", "delete project proj_1"],
    ["workspaces service-tokens delete wksp_1 stk_1", "delete service token stk_1"],
    [
      "databases restore db_1 --source-database-id db_1 --source-backup-id bkp_1",
      "overwrite all data of database db_1",
    ],
    ["projects transfer proj_1 --recipient-access-token-file -", "move project proj_1"],
    ["connections rotate con_1", "give connection con_1 a new password"],
  ])("needs --yes without a terminal, and exits with 3: %s", async (line, what) => {
    const before = session.server.engine.requests.length;
    const { status, stderr, stdout } = await runInProcess(line.split(" "), {
      env: session.env,
      stdin: "token",
    });
    expect({ status, stdout }).toEqual({ status: 3, stdout: "" });
    expect(stderr).toContain(what);
    expect(stderr).toContain("--yes");
    expect(session.server.engine.requests).toHaveLength(before);
  });

  it.each(["false", "0", ""])("asks where CI is %j", async (value) => {
    const id = await project();
    const env = { ...session.env, CI: value };
    const { stderr } = await inProcess({ env, terminal: true, reply: typing("no\n") })`projects delete ${id}`;
    expect(stderr).toContain("to confirm");
    expect(exists(id)).toBe(true);
  });

  it("does not ask in CI, or when a flag reads standard input", async () => {
    const id = await project();
    const ci = await inProcess({
      env: { ...session.env, CI: "1" },
      terminal: true,
    })`projects delete ${id}`;
    expect(ci).toMatchObject({ status: 3, stderr: expect.stringContaining("CI=1 is set") });
    const { env, stdin } = { env: session.env, stdin: "token" };
    const line = ["projects", "transfer", id, "--recipient-access-token-file", "-"];
    expect((await runInProcess(line, { env, stdin })).status).toBe(3);
    expect(exists(id)).toBe(true);
  });

  it("does not ask where a coding agent runs it", async () => {
    const id = await project();
    const env = { ...session.env, AI_AGENT: "helper" };
    const result = await inProcess({ env, terminal: true })`projects delete ${id}`;
    expect(result).toMatchObject({ status: 3, stderr: expect.stringContaining("AI_AGENT is set") });
    expect((await inProcess({ env, terminal: true })`projects delete ${id} --yes`).status).toBe(0);
  });

  it("runs without a question with --yes or -y", async () => {
    const ids = [await project(), await project()];
    expect((await session.mgmt`projects delete ${ids[0] ?? ""} --yes`).status).toBe(0);
    expect((await session.mgmt`-y projects delete ${ids[1] ?? ""}`).status).toBe(0);
    expect(ids.some(exists)).toBe(false);
  });
});

describe("a delete of several ids", () => {
  it("deletes each of them once", async () => {
    const ids = [await project(), await project()];
    const [a = "", b = ""] = ids;
    const { status, stderr } = await session.mgmt`projects delete ${a} ${b} ${a} --yes`;
    expect({ status, stderr }).toEqual({
      status: 0,
      stderr: `Deleted project ${a}.\nDeleted project ${b}.\n`,
    });
  });

  it("continues after a failure, and exits with 10", async () => {
    const [a, b] = [await project(), await project()];
    const { status, errors } = await session.mgmt`projects delete ${a} proj_0 ${b} --yes --output json`;
    expect(status).toBe(10);
    expect([a, b].some(exists)).toBe(false);
    expect(errors).toEqual([
      {
        error: expect.objectContaining({
          code: "project:not_found",
          message: expect.stringMatching(/^proj_0: /),
        }),
      },
      { error: expect.objectContaining({ code: "bulk:partly_done" }) },
    ]);
  });

  it("exits with the code of the first failure if all of them fail", async () => {
    const { status, stderr } = await session.mgmt`projects delete proj_0 proj_1 --yes`;
    expect(status).toBe(6);
    expect(stderr).toContain("All 2 items failed");
  });
});
