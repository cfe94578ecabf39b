import { beforeAll, describe, expect, it } from "vitest";
import { runInProcess } from "../../test/in-process.js";
import { useSession } from "../../test/terminal.js";

const session = useSession();
let shop: string;
beforeAll(async () => {
  ({ id: shop } = await session.server.engine.seed.project({ name: "shop" }));
});

describe("the flags of every command", () => {
  it("have --json for --output json, before and after the command, for results, help and errors", async () => {
    const { mgmt } = session;
    const { stdout } = await mgmt`projects list --output json`;
    expect((await mgmt`projects list --json`).stdout).toBe(stdout);
    expect((await mgmt`--json projects list`).stdout).toBe(stdout);
    expect((await mgmt`projects list --json -o json`).stdout).toBe(stdout);
    expect((await mgmt`projects list --help --json`).json).toMatchObject({ command: "mgmt projects list" });
    expect((await mgmt`projects lst --json`).errors).toMatchObject([{ error: { code: "usage:invalid" } }]);
  });

  it("have --csv for --output csv", async () => {
    const { mgmt } = session;
    expect((await mgmt`projects list --csv`).stdout).toBe((await mgmt`projects list -o csv`).stdout);
  });

  it("have -q for --query", async () => {
    expect((await session.mgmt`projects list -q ${"[?name=='shop'].id"}`).stdout).toBe(`${shop}\n`);
  });

  it("belong to the program after -- where they follow it", async () => {
    const { status, stderr } = await session.mgmt`run nothing -- node --json`;
    expect(status).not.toBe(0);
    expect(stderr).toMatch(/^error: /);
  });

  it.each([
    [["--json", "--output", "yaml"], "--json and --output yaml cannot be used together"],
    [["--csv", "--output", "json"], "--csv and --output json cannot be used together"],
    [["--csv", "--json"], "--json and --csv cannot be used together"],
    [["--jq", ".", "--csv"], "--jq cannot be used with --output csv"],
    [["--output", "jsno"], "Did you mean json?"],
    [["--output="], '--output cannot be ""'],
    [["--fields", ""], '--fields cannot be ""'],
    [["--fields", ","], '--fields cannot be ","'],
    [["--fields", "id,,name"], '--fields cannot be "id,,name"'],
    [["--fields", "a b"], '--fields cannot be "a b"'],
    [["--fields", "a..b"], '--fields cannot be "a..b"'],
    [["--fields", "id", "--query", "[].id"], "--fields and --query cannot be used together"],
    [["--fields", "name", "-o", "name"], "--fields cannot be used with --output name"],
    [["--jq", ".", "--fields", "id"], "--fields and --jq cannot be used together"],
    [["--jq", ".", "-q", "[]"], "--query and --jq cannot be used together"],
    [["--jq", ".", "-o", "csv"], "--jq cannot be used with --output csv"],
  ])("are refused before anything is sent: %j", async (flags, problem) => {
    const before = session.server.engine.requests.length;
    for (const line of [
      ["projects", "list"],
      ["projects", "create", "new"],
    ]) {
      const { status, stdout, stderr } = await runInProcess([...line, ...flags], { env: session.env });
      expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
      expect(stderr).toContain(problem);
    }
    expect(session.server.engine.requests).toHaveLength(before);
  });
});
