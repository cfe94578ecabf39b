import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, inject, it } from "vitest";
import { tools } from "./installed.js";
import { type Surroundings, startReferenceServer } from "./reference-server.js";

const installed = inject("installed");
const contract = join(installed, "node_modules/@mgmt/sdk/openapi.json");
const run = promisify(execFile);

interface Generator {
  /** The package, and the program in `programs/generators`. */
  name: string;
  command: string;
  /** Arguments that write the client to `client`, a file or a folder. */
  args: string[];
  /** Compiler options that the generated code does not support. */
  unsupported?: Record<string, false>;
}

const generators: Generator[] = [
  {
    name: "hey-api",
    command: "openapi-ts",
    args: ["--input", contract, "--output", "client", "--client", "@hey-api/client-fetch", "--no-log-file"],
    // Its runtime, which it copies beside the client, passes undefined for optional properties.
    unsupported: { exactOptionalPropertyTypes: false },
  },
  { name: "orval", command: "orval", args: ["--config", "orval.config.cjs"] },
  {
    name: "oazapfts",
    command: "oazapfts",
    args: [contract, "client.ts"],
    // Every function passes options of its runtime as undefined.
    unsupported: { exactOptionalPropertyTypes: false },
  },
  {
    name: "swagger-typescript-api",
    command: "swagger-typescript-api",
    args: ["generate", "--path", contract, "--output", ".", "--name", "client.ts"],
  },
  {
    name: "openapi-zod-client",
    command: "openapi-zod-client",
    args: [contract, "--output", "client.ts"],
    // The declarations of its runtime, @zodios/core, pass undefined for optional properties.
    unsupported: { exactOptionalPropertyTypes: false },
  },
  {
    name: "openapi-typescript-codegen",
    command: "openapi",
    args: ["--input", contract, "--output", "client"],
  },
];

let folder: string;
let surroundings: Surroundings;

beforeAll(async () => {
  surroundings = await startReferenceServer();
  folder = await mkdtemp(join(tmpdir(), "mgmt-generated-"));
  await symlink(tools, join(folder, "node_modules"));
});
afterAll(async () => {
  await surroundings.close();
  await rm(folder, { recursive: true, force: true });
});

/** Runs a program of a tool's package. Errors contain its output. */
const runTool = async (cwd: string, command: string, args: string[]): Promise<void> => {
  await run(join(tools, ".bin", command), args, { cwd }).catch(
    (error: { stdout?: string; stderr?: string }) => {
      throw new Error(`${command}: ${error.stdout ?? ""}${error.stderr ?? ""}`, { cause: error });
    },
  );
};

/** Orval writes the address of the service into the client. */
const orvalConfig = (baseUrl: string): string =>
  `module.exports = ${JSON.stringify({
    api: { input: contract, output: { target: "client.ts", client: "fetch", baseUrl } },
  })};`;

// Generators and compilers are slow on a busy machine.
describe.concurrent("a client generated from openapi.json", { timeout: 600_000 }, () => {
  it.for(generators)("compiles in strict mode and calls the server: $name", async (generator, { expect }) => {
    const { name, command, args, unsupported } = generator;
    const { addresses } = surroundings;
    const cwd = join(folder, name);
    await mkdir(cwd);
    await cp(join(installed, "generators", `${name}.mjs`), join(cwd, "program.mjs"));
    await writeFile(join(cwd, "orval.config.cjs"), orvalConfig(addresses.baseUrl));
    await runTool(cwd, command, args);

    const compilerOptions = {
      ...{ target: "ES2022", lib: ["ES2022", "DOM", "DOM.Iterable"], types: ["node"] },
      ...{ module: "ESNext", moduleResolution: "Bundler", allowJs: true, checkJs: true, noEmit: true },
      ...{ strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true },
      ...unsupported,
    };
    await writeFile(
      join(cwd, "tsconfig.json"),
      JSON.stringify({ compilerOptions, files: ["program.mjs"], include: ["client", "client.ts"] }),
    );
    await runTool(cwd, "tsc", ["--project", "."]);

    await build({
      absWorkingDir: cwd,
      entryPoints: ["program.mjs"],
      outfile: "bundled.mjs",
      bundle: true,
      packages: "external",
      platform: "node",
      format: "esm",
    });
    const { stdout } = await run(process.execPath, ["bundled.mjs", JSON.stringify(addresses)], { cwd });
    expect(stdout).toBe("provisioning 1 project:not_found\n");
  });
});
