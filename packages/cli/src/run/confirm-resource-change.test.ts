import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { temporaryFolder } from "../../test/folders.js";
import { runInProcess, type Setup } from "../../test/in-process.js";
import type { Result } from "../../test/result.js";
import { useSession } from "../../test/terminal.js";

const session = useSession();
const root = temporaryFolder();
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(root, "protected-"));
  mkdirSync(join(folder, ".mgmt"));
  writeLink({ protect: true });
});

const writeLink = (link: object): void =>
  writeFileSync(join(folder, ".mgmt/link.json"), JSON.stringify(link));
const run = (words: readonly string[], setup: Setup = {}): Promise<Result> =>
  runInProcess(words, { cwd: folder, ...setup, env: { ...session.env, ...setup.env } });
const seed = async (name = "shop"): Promise<string> =>
  (await session.server.engine.seed.project({ name })).id;
const exists = (id: string): boolean => session.server.engine.rows.projects.get(id) !== undefined;
/** Types this when the command asks. */
const typing = (text: string): Setup => ({
  terminal: true,
  columns: 200,
  reply: (stderr) => (/Continue\?|to confirm:/.test(stderr) ? `${text}\n` : undefined),
});

describe("in a protected folder", () => {
  it.each([
    "projects delete ID",
    "databases restore db_1 --source-database-id db_1 --source-backup-id bkp_1",
    "connections rotate con_1",
    "workspaces service-tokens delete wksp_1 stk_1",
    "projects transfer proj_1 --recipient-access-token-file -",
    "api DELETE /v1/projects/ID",
    "api POST /v1/connections/con_1/rotate",
  ])("--yes is not enough: %s", async (line) => {
    const id = await seed();
    const result = await run([...line.replace("ID", id).split(" "), "--yes"], { stdin: "token" });
    expect(result).toMatchObject({ status: 3, stdout: "" });
    expect(result.stderr).toContain("confirmation:needed");
    expect(result.stderr).toContain(join(folder, ".mgmt/link.json"));
    expect(result.stderr).toContain("--confirm");
    expect(exists(id)).toBe(true);
  });

  it.each([
    ["shop", "shop"],
    ["shop", "ID"],
    ["Größe 日本", "Größe 日本"],
    ["Größe 日本", "Gro\u0308ße 日本"],
    ["--yes", "--yes"],
    ["a  b\u001b", "ID"],
  ])("deletes the project %j with --confirm %j", async (name, typed) => {
    const id = await seed(name);
    const result = await run(["projects", "delete", id, `--confirm=${typed.replace("ID", id)}`]);
    expect(result.status, result.stderr).toBe(0);
    expect(exists(id)).toBe(false);
  });

  it.each(["", "Shop", "shop ", "yes", "1x", "other"])("refuses --confirm %j", async (typed) => {
    const id = await seed();
    await seed("other");
    const result = await run(["projects", "delete", id, "--yes", `--confirm=${typed}`]);
    expect(result).toMatchObject({ status: 3, stderr: expect.stringContaining("confirmation:wrong_name") });
    expect(exists(id)).toBe(true);
  });

  it.each([
    ["shop", true],
    ["ID", true],
    ["y", false],
    ["", false],
  ])("asks for the name on a terminal, also with --yes, and gets %j", async (typed, isDeleted) => {
    const id = await seed();
    const result = await run(["projects", "delete", id, "--yes"], typing(typed.replace("ID", id)));
    expect(result.stderr).toContain("Type shop to confirm:");
    expect(result.stderr).toContain(
      `${join(folder, ".mgmt/link.json")} protects it, so a yes is not enough.`,
    );
    expect({ status: result.status, exists: exists(id) }).toEqual({
      status: isDeleted ? 0 : 3,
      exists: !isDeleted,
    });
  });

  it("asks for the name before a rotation too", async () => {
    const { database } = await session.server.engine.seed.project({ name: "shop" });
    const [connection] = session.server.engine.rows.connections.list({ databaseId: database?.id ?? "" });
    const { id = "", pass } = connection ?? {};
    const passwordNow = () => session.server.engine.rows.connections.get(id)?.pass;
    const { status, stderr } = await run(["connections", "rotate", id, "--yes"], typing("y"));
    expect(status).toBe(3);
    expect(stderr).toContain(
      `This will give connection ${id} a new password and invalidate the current one. ${join(folder, ".mgmt/link.json")} protects it,`,
    );
    expect(passwordNow()).toBe(pass);
    expect((await run(["connections", "rotate", id, "--confirm", id])).status).toBe(0);
    expect(passwordNow()).not.toBe(pass);
  });

  it.each(["shop", "it's", "--yes"])(
    "suggests --confirm, and not --yes, after a wrong name: %j",
    async (name) => {
      const id = await seed(name);
      const { status, stderr } = await run(["projects", "delete", id], typing("y"));
      expect(status).toBe(3);
      const suggestions = {
        shop: "--confirm shop",
        "it's": String.raw`--confirm 'it'\''s'`,
        "--yes": "--confirm=--yes",
      };
      expect(stderr).toContain(
        `${Object.entries(suggestions).find(([key]) => key === name)?.[1] ?? ""} confirms`,
      );
      expect(stderr.split("\n")).not.toContainEqual(expect.stringMatching(/delete.* --yes$/));
    },
  );

  it("takes the number of several resources", async () => {
    const ids = [await seed(), await seed("b")];
    expect((await run(["projects", "delete", ...ids, "--confirm", "3"])).status).toBe(3);
    expect((await run(["projects", "delete", ...ids, "--confirm", "2"])).status).toBe(0);
    expect(ids.some(exists)).toBe(false);
  });

  it("takes the id in the path of mgmt api", async () => {
    const id = await seed();
    expect((await run(["api", "DELETE", `/v1/projects/${id}`, "--confirm", "shop"])).status).toBe(3);
    expect((await run(["api", "DELETE", `/v1/projects/${id}`, "--confirm", id])).status).toBe(0);
  });

  it("reads, and creates, without a question", async () => {
    expect((await run(["projects", "create", "new"])).status).toBe(0);
    expect((await run(["projects", "list"])).status).toBe(0);
  });
});

describe("elsewhere", () => {
  it.each([[{ protect: false }], [{ profile: "production", protect: true }]])(
    "--yes is enough: %j",
    async (link) => {
      writeLink(link);
      const id = await seed();
      const result = await run(["projects", "delete", id, "--yes", "--base-url", session.server.baseUrl], {
        env: { MGMT_PROFILE: "staging" },
      });
      expect(result.status, result.stderr).toBe(0);
    },
  );

  it("--confirm confirms alone, and only the right name", async () => {
    writeLink({});
    const id = await seed();
    expect((await run(["projects", "delete", id, "--yes", "--confirm", "other"])).status).toBe(3);
    expect((await run(["projects", "delete", id, "--confirm", "shop"])).status).toBe(0);
  });

  it("refuses a link whose protect is no boolean", async () => {
    writeLink({ protect: "yes" });
    expect((await run(["projects", "delete", await seed(), "--yes"])).stderr).toContain("link:corrupt");
  });
});
