import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import manifest from "../../package.json";
import { bin, ensureBuilt } from "../bin.js";
import { temporaryFolder } from "../folders.js";
import { inProcess, runInProcess } from "../in-process.js";
import { definedCommands } from "../program.js";
import { type Session, startSession } from "../terminal.js";

let session: Session;
let shop: string;
/** With a `jq` in PATH. */
let env: NodeJS.ProcessEnv;
let mgmt: ReturnType<typeof inProcess>;
beforeAll(async () => {
  session = await startSession();
  ({ id: shop } = await session.server.engine.seed.project({ name: "shop" }));
  await session.server.engine.seed.project({ name: "a\tb" });
  env = { ...session.env, PATH: process.env["PATH"] };
  mgmt = inProcess({ env });
});
afterAll(() => session.close());

const countRequests = (): number => session.server.engine.requests.length;

describe("--json", () => {
  it("is the same as --output json, before and after the command, for results, help and errors", async () => {
    const { stdout } = await mgmt`projects list --output json`;
    expect((await mgmt`projects list --json`).stdout).toBe(stdout);
    expect((await mgmt`--json projects list`).stdout).toBe(stdout);
    expect((await mgmt`projects list --json -o json`).stdout).toBe(stdout);
    expect((await mgmt`projects list --help --json`).json).toMatchObject({ command: "mgmt projects list" });
    expect((await mgmt`projects lst --json`).errors).toMatchObject([{ error: { code: "usage:invalid" } }]);
  });

  it("cannot be used with another format", async () => {
    const { status, stderr } = await mgmt`projects list --json --output yaml`;
    expect(status).toBe(2);
    expect(stderr).toContain("--json and --output yaml cannot be used together");
  });

  it("belongs to the program after -- where it follows it", async () => {
    const { status, stderr } = await mgmt`run nothing -- node --json`;
    expect(status).not.toBe(0);
    expect(stderr).toMatch(/^error: /);
  });
});

describe("-q", () => {
  it("is the same as --query", async () => {
    expect((await mgmt`projects list -q ${"[?name=='shop'].id"}`).stdout).toBe(`${shop}\n`);
  });
});

describe.skipIf(spawnSync("jq", ["--version"]).status !== 0)("--jq", () => {
  it("prints what jq prints, texts without quotes", async () => {
    expect((await mgmt`projects list --jq ${'.[] | select(.name == "shop") | .id'}`).stdout).toBe(
      `${shop}\n`,
    );
    expect((await mgmt`projects list --all --limit 1 --jq length`).stdout).toBe("2\n");
    expect((await mgmt`projects get ${shop} --jq ${"{name}"} --json`).json).toEqual({ name: "shop" });
    expect((await mgmt`api projects --jq ${".data[0].name"}`).stdout).toBe("shop\n");
    expect(await mgmt`projects list --jq ${".[] | select(false)"}`).toMatchObject({ status: 0, stdout: "" });
  });

  it("keeps tabs, and prints control characters as escapes on a terminal only", async () => {
    const filter = '.[0] | [.name, "\\u001b[2J"] | @tsv';
    expect((await mgmt`projects list --jq ${filter}`).stdout).toBe("shop\t\u001b[2J\n");
    const onTerminal = inProcess({ env, terminal: true });
    expect((await onTerminal`projects list --jq ${filter}`).stdout).toBe("shop\t\\u001b[2J\n");
  });

  it("filters what the command prints: masked secrets, and none of the variables of mgmt", async () => {
    const { stdout } = await mgmt`connections list --jq ${'[.[] | .. | strings] | join(" ")'}`;
    expect(stdout).toContain("********");
    expect(stdout).not.toMatch(/postgres:\/\/[^*]+:[^*]+@/);
    const variables =
      await mgmt`projects list --jq ${'$ENV | keys | map(select(startswith("MGMT_"))) | length'}`;
    expect(variables.stdout).toBe("0\n");
  });

  it.each([
    [["--jq", ".["], "--jq is not a valid filter"],
    [["--jq", "nosuch(.)"], "nosuch/1 is not defined"],
    [["--jq", ".", "--fields", "id"], "--fields and --jq cannot be used together"],
    [["--jq", ".", "-q", "[]"], "--query and --jq cannot be used together"],
    [["--jq", ".", "-o", "csv"], "--jq cannot be used with --output csv"],
  ])("is refused before anything is sent: %j", async (flags, message) => {
    const before = countRequests();
    const { status, stdout, stderr } = await runInProcess(["projects", "create", "new", ...flags], { env });
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toContain(message);
    expect(countRequests()).toBe(before);
  });

  it("prints all of a new resource if jq fails on it, with what is shown only once", async () => {
    const { status, stdout, stderr, json } = await mgmt`projects create late --jq ${".name | .first"}`;
    expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringContaining("jq:failed") });
    expect(json).toMatchObject({ name: "late" });
    expect(stdout).toContain("postgres://");
  });
});

describe("--jq without jq", () => {
  it("says how to get jq and what to use instead, before anything is sent", async () => {
    const before = countRequests();
    const without = inProcess({ env: { ...session.env, PATH: temporaryFolder() } });
    const { status, stdout, stderr } = await without`projects create new --jq .id`;
    expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
    expect(stderr).toContain("program:not_found");
    expect(stderr).toContain("--query");
    expect(countRequests()).toBe(before);
  });

  it("passes the data through standard input, not as arguments", async () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, "bin"));
    const jq = join(folder, "bin", "jq");
    writeFileSync(jq, `#!/bin/sh\nprintf '%s|' "$@"\ncat\n`);
    chmodSync(jq, 0o755);
    const path = [join(folder, "bin"), process.env["PATH"]].join(delimiter);
    const { stdout } = await inProcess({ env: { ...session.env, PATH: path } })`projects get ${shop} --jq -1`;
    expect(stdout).toMatch(new RegExp(`^--raw-output\\| -1\\|\\{.*"id":"${shop}".*\\}\n$`));
  });
});

describe("mgmt api -X", () => {
  it("takes the method, in any case", async () => {
    const { json } = await mgmt`api -X post projects -f name=fromX`;
    expect(json).toMatchObject({ data: { name: "fromX" } });
    expect((await mgmt`api --method GET me`).status).toBe(0);
  });

  it.each([
    ["api -X FETCH projects", 'The method cannot be "FETCH"'],
    ["api -X GET POST projects", "The method is set twice"],
  ])("refuses %s", async (line, message) => {
    const { status, stderr } = await runInProcess(line.split(" "), { env });
    expect(status).toBe(2);
    expect(stderr).toContain(message);
  });
});

describe("mgmt version", () => {
  beforeAll(ensureBuilt);

  it("prints the version, as data with that of Node.js", async () => {
    expect((await mgmt`version`).stdout).toBe(`${manifest.version}\n`);
    expect((await mgmt`version --json`).json).toMatchObject({
      version: manifest.version,
      node: process.versions.node,
    });
    expect(spawnSync(process.execPath, [bin, "version"], { encoding: "utf8" }).stdout).toBe(
      `${manifest.version}\n`,
    );
  });
});

describe("a word of another program", () => {
  it.each([
    ["projects show shop", "mgmt projects get"],
    ["databases describe db_1", "mgmt databases get"],
    ["connections remove con_1", "mgmt connections delete"],
    ["workspaces service-tokens new ci", "mgmt workspaces service-tokens create"],
    ["branches edit main", "mgmt branches update"],
    ["auth index", "mgmt auth list"],
    ["signin", "mgmt login"],
  ])("is answered with ours: mgmt %s", async (line, meant) => {
    const { status, stderr } = await runInProcess(line.split(" "), { env });
    expect(status).toBe(2);
    expect(stderr).toContain(`hint: Did you mean ${meant}?`);
  });

  it("runs where it is an alias: ls and rm", async () => {
    const { id } = await session.server.engine.seed.project({ createDatabase: false });
    expect((await mgmt`projects ls --jq length`).status).toBe(0);
    expect((await mgmt`projects rm ${id} --yes`).status).toBe(0);
  });
});

describe("flags", () => {
  it("reach the command: Node.js takes none of them", async () => {
    const commands = await definedCommands();
    const flags = commands.flatMap(({ options }) => options.flatMap(({ short, long }) => [short, long]));
    const ours = [...new Set(flags)].filter((flag) => flag !== undefined);
    expect(ours).toContain("--jq");
    const script = join(temporaryFolder(), "print.cjs");
    writeFileSync(script, "console.log(JSON.stringify(process.argv.slice(2)))");
    const taken = spawnSync(process.execPath, [script, ...ours], { encoding: "utf8" });
    expect(JSON.parse(taken.stdout)).toEqual(ours);
  });
});
