import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { tools } from "./installed.js";
import { type Surroundings, startReferenceServer } from "./reference-server.js";

const cwd = inject("installed");
const run = promisify(execFile);

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

describe.concurrent.each([...nodes, bun, deno])("the packed SDK on $name", ({ program, words, version }) => {
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
});

it.each(nodes)(
  "runs the packed packages on $name, from the command line to a real database",
  async ({ program }) => {
    const { stdout } = await run(program, ["platform.mjs"], { cwd });
    expect(stdout).toBe("all is so\n");
  },
);

it.each([["--version"], ["dev"], ["projects", "list"]])(
  "names the Node.js that the packed command needs, on Node 18: mgmt %s",
  async (...words) => {
    const program = join(cwd, "node_modules/@mgmt/cli/dist/mgmt.js");
    const failed = run(node(18).program, [program, ...words], { cwd });
    await expect(failed).rejects.toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringMatching(/^error: mgmt needs Node\.js 20\.19 or newer, but runs on .*\n$/),
    });
  },
);
