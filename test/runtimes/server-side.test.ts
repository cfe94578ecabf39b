import { execFile } from "node:child_process";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { tools } from "./tools.js";
import { type Surroundings, startReferenceServer } from "./reference-server.js";

const cwd = inject("installed");
const run = promisify(execFile);
const command = join(cwd, "node_modules/@mgmt/cli/dist/mgmt.js");

interface Runtime {
  name: string;
  program: string;
  words: string[];
  /** Its version, as `--version` prints it. */
  version: RegExp;
}

const node = (version: number): Runtime => ({
  name: `Node ${String(version)}`,
  program: join(tools, `node-${String(version)}/bin/node`),
  words: [],
  version: new RegExp(`^v${String(version)}\\.`),
});

const deno: Runtime = {
  name: "Deno",
  program: join(tools, "@deno/linux-x64-glibc/deno"),
  words: ["run", "--no-remote", "--no-lock", "--node-modules-dir=manual", "--allow-all"],
  version: /^deno 2\./,
};
const bun: Runtime = {
  name: "Bun",
  program: join(tools, "@oven/bun-linux-x64/bin/bun"),
  words: ["run", "--no-install"],
  version: /^1\./,
};
const nodes = [20, 22, 24, 26].map(node);

let surroundings: Surroundings;

beforeAll(async () => {
  surroundings = await startReferenceServer();
});
afterAll(() => surroundings.close());

describe.concurrent.each([...nodes, bun, deno])(
  "the packed SDK and mock on $name",
  ({ program, words, version }) => {
    it("runs on the expected runtime", async ({ expect }) => {
      expect((await run(program, ["--version"])).stdout).toMatch(version);
    });

    it.each(["server-side.mjs", "server-side.cjs"])(
      "lists, creates, throws, aborts, keeps deadlines and logs in, over fetch and node:http: %s",
      async (file) => {
        const { stdout } = await run(program, [...words, file, JSON.stringify(surroundings.addresses)], {
          cwd,
        });
        expect(stdout).toBe("all is so\n");
      },
    );

    it("creates, lists, waits, and throws with the packed mock", async ({ expect }) => {
      expect((await run(program, [...words, "run-mock.mjs"], { cwd })).stdout).toBe("all is so\n");
    });
  },
);

it.each(nodes)(
  "runs the packed packages on $name, from the command line to a real database",
  async ({ program }) => {
    const { stdout } = await run(program, ["platform.mjs"], { cwd });
    expect(stdout).toBe("all is so\n");
  },
);

describe.concurrent.each(nodes)("the packed command on $name", ({ program }) => {
  const mgmt = async (...words: string[]) => {
    const { baseUrl, token } = surroundings.addresses;
    const env = {
      PATH: process.env["PATH"],
      HOME: cwd,
      XDG_CACHE_HOME: join(cwd, "cache"),
      MGMT_CONFIG_DIR: join(cwd, "no-profiles"),
      MGMT_BASE_URL: baseUrl,
      MGMT_TOKEN: token,
    };
    return run(program, [command, ...words], { cwd, env });
  };

  it("prints its version and help", async ({ expect }) => {
    expect((await mgmt("--version")).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
    expect((await mgmt("--help")).stdout).toMatch(/^Usage: mgmt /i);
    expect((await mgmt("projects", "create", "--help")).stdout).toContain("--region <value>");
  });

  it("lists regions, also from the code that its first run has compiled", async ({ expect }) => {
    const [first, second] = [
      await mgmt("regions", "list", "-o", "json"),
      await mgmt("regions", "list", "-o", "json"),
    ];
    expect(JSON.parse(first.stdout)).not.toEqual([]);
    expect(second).toEqual({ stdout: first.stdout, stderr: "" });
    const codeFolder = join(cwd, "cache/mgmt/code");
    const { stdout: version } = await run(program, ["--version"]);
    // Node.js 22 and newer names its folder, with the version first. On Node.js 20, the command does, with its own version first.
    const folders = (await readdir(codeFolder)).filter((name) => name.split("-").includes(version.trim()));
    expect(folders).toHaveLength(1);
    expect(await readdir(join(codeFolder, folders[0] ?? ""))).not.toEqual([]);
  });

  it.each([
    [2, ["projects", "lst"]],
    [6, ["projects", "get", "proj_a0a0a0a0a0a0a0a0a0a0a0a0"]],
  ])("exits with %i after mgmt %j", async (code, words) => {
    await expect(mgmt(...words)).rejects.toMatchObject({
      code,
      stdout: "",
      stderr: expect.stringMatching(/^error: /m),
    });
  });
});

it.each([["--version"], ["dev"], ["projects", "list"]])(
  "names the Node.js that the packed command needs, on Node 18: mgmt %s",
  async (...words) => {
    const failed = run(node(18).program, [command, ...words], { cwd });
    await expect(failed).rejects.toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringMatching(/^error: mgmt needs Node\.js 20\.19 or newer, but runs on .*\n$/),
    });
  },
);
