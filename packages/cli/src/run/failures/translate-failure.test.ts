import { beforeAll, describe, expect, it } from "vitest";
import { runInProcess } from "../../../test/in-process.js";
import { useSession } from "../../../test/terminal.js";

const session = useSession();
let project: string;
beforeAll(async () => {
  project = (await session.server.engine.seed.project()).id;
});

const none = "0".repeat(24);
const stderrOf = async (...line: string[]): Promise<string> => (await runInProcess(line, session)).stderr;

describe("an error of the service", () => {
  it.each([
    [
      ["databases", "get", `db_${none}`],
      `No database has the id or name "db_${none}"`,
      "mgmt databases list",
    ],
    [
      ["branches", "delete", `br_${none}`, "--yes"],
      `No branch has the id or name "br_${none}"`,
      "mgmt projects branches list PROJECT",
    ],
    [
      ["databases", "create", "--project-id", `proj_${none}`],
      `No project has the id or name "proj_${none}"`,
      "mgmt projects list",
    ],
    [["services", "get", `cps_${none}`], `No service has the id or name "cps_${none}"`, "mgmt services list"],
    [["deployments", "get", `dpl_${none}`], `No deployment has the id "dpl_${none}"`, "mgmt"],
  ])("names the id that does not exist, and what lists the others: %s", async (line, message, list) => {
    const stderr = await stderrOf(...line);
    expect(stderr).toContain(`error: ${message} (`);
    expect(stderr).toMatch(new RegExp(`^hint: .*${list}`, "m"));
    expect(stderr).not.toContain("Not found");
  });

  it("names each of several ids", async () => {
    const stderr = await stderrOf("databases", "delete", `db_${none}`, `db_1${none}`, "--yes");
    expect(stderr).toContain(`No database has the id or name "db_${none}"`);
    expect(stderr).toContain(`No database has the id or name "db_1${none}"`);
  });

  it("names neither of two databases if it may be either", async () => {
    const source = ["--source-database-id", `db_1${none}`, "--source-backup-id", `bkp_${none}`];
    const stderr = await stderrOf("databases", "restore", `db_${none}`, "--yes", ...source);
    expect(stderr).toContain("(database:not_found)");
    expect(stderr).not.toContain("has the id or name");
  });

  it.each([
    [["projects", "list", "--cursor", "nope"], "--cursor is not a cursor of this list"],
    [
      [
        "databases",
        "list",
        "--project-id",
        "{project}",
        "--branch-id",
        `br_${none}`,
        "--branch-git-name",
        "x",
      ],
      "--branch-git-name cannot be combined with --branch-id",
    ],
    [
      ["projects", "branches", "list", "{project}", "--git-name", "a", "--git-name-contains", "b"],
      "--git-name-contains",
    ],
    [["branches", "delete", "br_a.b", "--yes"], "<branch-id> must be the id of a branch"],
  ])("names the flag or argument that is not valid: %s", async (line, words) => {
    const stderr = await stderrOf(...line.map((word) => word.replace("{project}", project)));
    expect(stderr).toContain(words);
    expect(stderr).not.toMatch(/query\/|path\//);
  });
});
