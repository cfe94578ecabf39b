import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import manifest from "../../package.json";
import { bin, ensureBuilt } from "../bin.js";
import { temporaryFolder } from "../folders.js";
import { inProcess, runInProcess } from "../in-process.js";
import { definedCommands } from "../program.js";
import { useSession } from "../terminal.js";

const session = useSession();
/** With a `jq` in PATH. */
let env: NodeJS.ProcessEnv;
let mgmt: ReturnType<typeof inProcess>;
beforeAll(() => {
  env = { ...session.env, PATH: process.env["PATH"] };
  mgmt = inProcess({ env });
});

describe("mgmt api -X", () => {
  it("takes the method, in any case", async () => {
    const { json } = await mgmt`api -X post projects -f name=fromX`;
    expect(json).toMatchObject({ data: { name: "fromX" } });
    expect((await mgmt`api --method GET me`).status).toBe(0);
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
