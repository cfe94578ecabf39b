import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { inProcess, runInProcess, type Setup } from "../../test/in-process.js";
import type { Result } from "../../test/result.js";
import { type Session, startSession } from "../../test/terminal.js";

let session: Session;
beforeAll(async () => {
  session = await startSession();
});
afterAll(() => session.close());

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

  it("shows what goes, and runs after the name was typed", async () => {
    const id = await project();
    const database = await session.server.engine.seed.database(id, { name: "reports" });
    const { env } = session;
    const shown = await inProcess({ env, terminal: true, reply: typing("\u0003") })`projects delete ${id}`;
    expect(shown.stderr).toContain(`This will delete:\nProject shop (${id}):\n  2 databases: `);
    expect(shown.stderr).toContain("\n  1 branch: main\n");
    expect(shown.stderr).toContain("Type shop to confirm:");
    expect(exists(id)).toBe(true);
    const other = await project("other");
    const deleted = await inProcess({
      env,
      terminal: true,
      reply: typing("other\n"),
    })`projects delete ${other}`;
    expect(deleted).toMatchObject({ status: 0, stdout: "" });
    expect(exists(other)).toBe(false);
    const reports = { env, terminal: true, reply: typing("reports\n") };
    const result = await inProcess(reports)`databases delete ${database.id}`;
    expect(result).toMatchObject({ status: 0, stderr: expect.stringContaining("Database reports (db_") });
  });

  it.each([
    ["another name", "shopp\n", 3],
    ["a yes", "y\n", 3],
    ["Enter alone", "\n", 3],
    ["Ctrl-C", "\u0003", 130],
  ])("does not run after %s", async (_, typed, code) => {
    const id = await project();
    const { env } = session;
    const { status } = await inProcess({ env, terminal: true, reply: typing(typed) })`projects delete ${id}`;
    expect(status).toBe(code);
    expect(exists(id)).toBe(true);
  });

  it.each(["two  spaces", " ", "x".repeat(100)])(
    "wants the id where the name cannot be typed: %j",
    async (name) => {
      const id = await project(name);
      const { env } = session;
      const setup = { env, terminal: true, reply: typing(`${id}\n`) };
      const { status, stderr } = await inProcess(setup)`projects delete ${id}`;
      expect(status).toBe(0);
      expect(stderr).toContain(`Type ${id} to confirm:`);
    },
  );

  it("wants the name of a service token, a connection, a branch and a service", async () => {
    const { seed, defaults } = session.server.engine;
    const { id, database } = await seed.project();
    const { env, mgmt } = session;
    const workspaceId = defaults.workspace.id;
    const make = async (result: Promise<Result>): Promise<string> =>
      ((await result).json as { id: string }).id;
    const rows: [line: string, name: string][] = [
      [
        `workspaces service-tokens delete ${workspaceId} ${await make(mgmt`workspaces service-tokens create ${workspaceId} robot -o json`)}`,
        "robot",
      ],
      [
        `connections delete ${await make(mgmt`connections create worker --database-id ${database?.id ?? ""} -o json`)}`,
        "worker",
      ],
      [`branches delete ${await make(mgmt`projects branches create ${id} feature/x -o json`)}`, "feature/x"],
      [`services delete ${await make(mgmt`services create web --project-id ${id} -o json`)}`, "web"],
    ];
    for (const [line, name] of rows) {
      const setup = { env, terminal: true, reply: typing(`${name}\n`) };
      const { status, stderr } = await runInProcess(line.split(" "), setup);
      expect({ line, status }).toEqual({ line, status: 0 });
      expect(stderr).toContain(`Type ${name} to confirm:`);
    }
  });

  it("reports a resource that does not exist before it asks", async () => {
    const { env } = session;
    const { status, stderr } = await inProcess({ env, terminal: true })`projects delete proj_0`;
    expect(status).toBe(6);
    expect(stderr).not.toContain("to confirm");
  });

  it("says what a transfer and a rotation affect, and asks for a yes", async () => {
    const { seed, rows } = session.server.engine;
    const { id, database } = await seed.project({ name: "shop" });
    const { env } = session;
    const connection = rows.connections.find({ databaseId: database?.id ?? "" })?.id ?? "";
    const no = { env, terminal: true, reply: typing("n\n") };
    const rotate = await inProcess(no)`connections rotate ${connection}`;
    expect(rotate.status).toBe(3);
    expect(rotate.stderr).toContain(`(${connection})`);
    expect(rotate.stderr).toContain("Continue?");
    const backup = await seed.backup(database?.id ?? "");
    const from = ["--source-database-id", database?.id ?? "", "--source-backup-id", backup.id];
    const restore = await runInProcess(["databases", "restore", database?.id ?? "", ...from], no);
    expect(restore.status).toBe(3);
    expect(restore.stderr).toContain("  1 connection");
    expect(exists(id)).toBe(true);
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
      env: { ...session.env, CI: "true" },
      terminal: true,
    })`projects delete ${id}`;
    expect(ci.status).toBe(3);
    const { env, stdin } = { env: session.env, stdin: "token" };
    const line = ["projects", "transfer", id, "--recipient-access-token-file", "-"];
    expect((await runInProcess(line, { env, stdin })).status).toBe(3);
    expect(exists(id)).toBe(true);
  });

  it("runs without a question with --yes or -y", async () => {
    const ids = [await project(), await project()];
    expect((await session.mgmt`projects delete ${ids[0] ?? ""} --yes`).status).toBe(0);
    expect((await session.mgmt`-y projects delete ${ids[1] ?? ""}`).status).toBe(0);
    expect(ids.some(exists)).toBe(false);
  });
});

describe("a delete of several ids", () => {
  it("shows each of them, and wants their number", async () => {
    const ids = [await project("one"), await project("two")];
    const { env } = session;
    const setup = { env, terminal: true, reply: typing("delete 3\n") };
    const { status, stderr } = await inProcess(setup)`projects delete ${ids[0] ?? ""} proj_0 ${ids[1] ?? ""}`;
    expect(status).toBe(10);
    for (const text of [
      "Project one (",
      "Project two (",
      "(proj_0):\n  not found",
      "Type delete 3 to confirm:",
    ]) {
      expect(stderr).toContain(text);
    }
    expect(ids.some(exists)).toBe(false);
  });

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
