import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, inject, it } from "vitest";
import { nodeProgram, tools } from "./tools.js";
import { type Surroundings, startReferenceServer } from "./reference-server.js";

const installed = inject("installed");
const contract = join(installed, "node_modules/@mgmt/sdk/openapi.json");
const run = promisify(execFile);

interface Generator {
  /** The package, and the program in `programs/generators`. */
  name: string;
  /** The program that writes the client to `client`, a file or a folder. Undefined for a tool that reads the document itself. */
  command?: string;
  args?: string[];
  /** Whether this is the newest version, which needs a newer Node.js than the oldest supported one. */
  isNewest?: true;
  /** File for what the command prints, for one that writes no file. */
  printsTo?: string;
  /** Compiler options that the generated code needs, or does not support. */
  options?: Record<string, boolean>;
  /** What is compiled: the client with the program that uses it, a project of its own, or nothing, for tools without types. */
  compiles?: "program" | "project" | "nothing";
}

const heyApi: Generator = {
  name: "hey-api",
  command: "openapi-ts",
  args: ["--input", contract, "--output", "client", "--no-log-file"],
  // Its runtime, which it copies beside the client, passes undefined for optional properties.
  options: { exactOptionalPropertyTypes: false },
};
const orval: Generator = { name: "orval", command: "orval", args: ["--config", "orval.config.cjs"] };
const swaggerClient: Generator = { name: "swagger-client", compiles: "nothing" };

/** Each at its default settings. */
const generators: Generator[] = [
  { name: "openapi-typescript", command: "openapi-typescript", args: [contract, "--output", "client.ts"] },
  heyApi,
  { ...heyApi, isNewest: true },
  // Version 7 calls axios by default, with types that the newest axios refuses for any document; version 8 calls fetch.
  orval,
  { ...orval, isNewest: true },
  // There is no plugin for clients with the version 5 of its core.
  {
    name: "kubb",
    command: "kubb",
    args: ["generate", "--config", "kubb.config.mjs"],
    // Declarations in its package refer to a file that is not in it.
    options: { allowImportingTsExtensions: true, exactOptionalPropertyTypes: false, skipLibCheck: true },
  },
  {
    name: "oazapfts",
    command: "oazapfts",
    args: [contract, "client.ts"],
    // Every function passes options of its runtime as undefined.
    options: { exactOptionalPropertyTypes: false },
  },
  swaggerClient,
  { ...swaggerClient, isNewest: true },
  {
    name: "openapi-client-axios",
    command: "typegen",
    args: [contract],
    printsTo: "client.d.ts",
  },
  {
    name: "typed-openapi",
    command: "typed-openapi",
    args: [contract, "--output", "client.ts"],
    options: { exactOptionalPropertyTypes: false },
  },
  {
    name: "openapi-mcp-generator",
    command: "openapi-mcp-generator",
    args: ["--input", contract, "--output", "client"],
    compiles: "project",
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
    options: { exactOptionalPropertyTypes: false },
  },
  {
    name: "openapi-typescript-codegen",
    // Several packages have a program `openapi`.
    command: "../openapi-typescript-codegen/bin/index.js",
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

const newest = join(tools, "mgmt-runtimes-newest/node_modules");

/** Runs a program of a tool's package. Returns what it prints. Errors contain its output. */
const runTool = (
  cwd: string,
  command: string,
  args: string[],
  { isNewest }: Pick<Generator, "isNewest"> = {},
): Promise<string> => {
  const program = join(isNewest ? newest : tools, command);
  const node = dirname(isNewest ? nodeProgram("24") : process.execPath);
  const env = { ...process.env, PATH: `${node}:${process.env["PATH"] ?? ""}` };
  return run(program, args, { cwd, env, maxBuffer: 64 * 1024 * 1024 }).then(
    ({ stdout }) => stdout,
    (error: { stdout?: string; stderr?: string }) => {
      throw new Error(`${command}: ${error.stdout ?? ""}${error.stderr ?? ""}`, { cause: error });
    },
  );
};

/** Orval writes the URL of the service into the client. */
const orvalConfig = (baseUrl: string): string =>
  `module.exports = ${JSON.stringify({
    api: { input: contract, output: { target: "client.ts", client: "fetch", baseUrl } },
  })};`;

const compile = async (cwd: string, { compiles = "program", options }: Generator): Promise<void> => {
  if (compiles === "nothing") return;
  const compilerOptions = {
    ...{ target: "ES2022", lib: ["ES2022", "DOM", "DOM.Iterable"], types: ["node"] },
    ...{ module: "ESNext", moduleResolution: "Bundler", allowJs: true, checkJs: true, noEmit: true },
    ...{ strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true },
    ...options,
  };
  const include = ["client", "client.ts", "client.d.ts"];
  const config = { compilerOptions, files: ["program.mjs"], include };
  await writeFile(join(cwd, "tsconfig.json"), JSON.stringify(config));
  await runTool(cwd, ".bin/tsc", ["--project", compiles === "project" ? "client" : "."]);
};

// Generators and compilers are slow on a busy machine.
const rows = generators.map((each): [string, Generator] => [
  each.isNewest ? `the newest ${each.name}` : each.name,
  each,
]);
describe.concurrent.each(rows)("%s at its default settings", { timeout: 600_000 }, (title, generator) => {
  it("makes a client that compiles in strict mode and calls the server", async ({ expect }) => {
    const { name, command, args = [], printsTo, isNewest } = generator;
    const cwd = join(folder, title);
    await mkdir(cwd);
    if (isNewest) await symlink(newest, join(cwd, "node_modules"));
    await cp(join(installed, "generators", `${name}.mjs`), join(cwd, "program.mjs"));
    await cp(join(installed, "generators/kubb.config.mjs"), join(cwd, "kubb.config.mjs"));
    await cp(contract, join(cwd, "openapi.json"));
    await writeFile(join(cwd, "orval.config.cjs"), orvalConfig(surroundings.addresses.baseUrl));
    const printed = command === undefined ? "" : await runTool(cwd, `.bin/${command}`, args, generator);
    if (printsTo !== undefined) await writeFile(join(cwd, printsTo), printed);
    await compile(cwd, generator);

    await build({
      absWorkingDir: cwd,
      entryPoints: ["program.mjs"],
      outfile: "bundled.mjs",
      bundle: true,
      packages: "external",
      platform: "node",
      format: "esm",
    });
    const given = JSON.stringify({ ...surroundings.addresses, project: title });
    const node = isNewest ? nodeProgram("24") : process.execPath;
    const { stdout } = await run(node, ["bundled.mjs", given], { cwd });
    expect(stdout).toBe("provisioning 1 project:not_found\n");
  });
});
