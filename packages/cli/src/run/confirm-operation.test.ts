import { describe, expect, it } from "vitest";
import { type Setup, inProcess, runInProcess } from "../../test/in-process.js";
import type { Result } from "../../test/result.js";
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
});

describe("a delete of several ids", () => {
  it.each([
    ["names", ["nosuch", "neither"], "nosuch"],
    ["ids", ["proj_0", "proj_1"], "proj_0"],
    ["names and ids", ["nosuch", "proj_1"], "proj_1"],
  ])("asks nothing if none of the %s exists", async (_, words, missing) => {
    await project();
    const before = session.server.engine.requests.length;
    const setup = { env: session.env, terminal: true };
    const { status, stderr } = await runInProcess(["projects", "delete", ...words], setup);
    expect(status, stderr).toBe(6);
    expect(stderr).not.toContain("to confirm");
    expect(stderr).toContain(missing);
    expect(stderr).toContain("All 2 items failed");
    const { requests } = session.server.engine;
    expect(requests.slice(before).filter(({ method }) => method === "DELETE")).toEqual([]);
  });

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
});
