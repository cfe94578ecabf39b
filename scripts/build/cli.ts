import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { type Options, build } from "tsup";
import type { main as mainOfCli, ProcessLike } from "../../packages/cli/src/main.js";
import { silentProxyAgents } from "./proxy-agents.js";
import { noteFiles } from "../third-party-licenses.js";
import {
  commandsWithoutPrograms,
  lightPerformance,
  modulesOfJsoncParser,
  modulesOfOpenTelemetry,
  redactionOnDemand,
  serverWithoutAjv,
  uncheckedOptions,
  usedPartsOfInquirer,
  usedPartsOfTables,
} from "./cli-plugins.js";
import { minifyLast, requireOnDemand } from "./commonjs.js";
import { joinFiles, startFirst } from "./startup-file.js";

const outDir = "packages/cli/dist";
const startup = "scripts/build/startup.ts";

const shared = {
  name: "cli",
  outDir,
  tsconfig: "tsconfig.json",
  target: "node20.19",
  removeNodeProtocol: false,
  format: "cjs",
  outExtension: () => ({ js: ".js" }),
} satisfies Options;

/** The build of the command, as CommonJS, which starts several milliseconds faster than ES modules. */
export const cli: Options = {
  ...shared,
  clean: true,
  entry: { main: startup },
  /**
   * Installed beside the command: a package that only `mgmt dev` needs, one whose license (MPL-2.0) does not allow minified
   * copies alone, and native code. Everything else is bundled.
   */
  external: ["@mgmt/platform", "@jmespath-community/jmespath", "@napi-rs/keyring"],
  splitting: true,
  // No module acts when it is loaded.
  treeshake: { moduleSideEffects: "no-external" },
  esbuildPlugins: [
    noteFiles("cli"),
    startFirst({ "dynamic-import": [startup] }),
    joinFiles("main.js"),
    usedPartsOfInquirer,
    usedPartsOfTables,
    modulesOfJsoncParser,
    modulesOfOpenTelemetry,
    silentProxyAgents,
    uncheckedOptions,
    commandsWithoutPrograms,
    redactionOnDemand,
    serverWithoutAjv,
    lightPerformance,
  ],
  esbuildOptions(esbuildOptions) {
    // As Node.js chooses.
    esbuildOptions.mainFields = ["main", "module"];
  },
  plugins: [requireOnDemand((name) => name.startsWith("node:")), minifyLast(shared.target)],
  onSuccess: () => finish(),
};

export const buildCli = (): Promise<void> => build({ ...cli, config: false, silent: true });

const finish = async (): Promise<void> => {
  // The package itself is `"type": "module"`.
  writeFileSync(join(outDir, "package.json"), '{"type":"commonjs"}\n');
  const require = createRequire(resolve("packages/cli/package.json"));
  // `open` uses this program on Linux systems that have none.
  copyFileSync(join(dirname(require.resolve("open")), "xdg-open"), join(outDir, "xdg-open"));
  // Last, because its age tells whether the build is stale.
  await buildEntry(await overviewOf(require(resolve(outDir, "main.js"))));
};

/** Builds the file that runs first. It shares no code with the others, so that a fixed text loads no other file. */
const buildEntry = (overview: Record<string, string>): Promise<void> =>
  build({
    ...shared,
    config: false,
    silent: true,
    entry: { mgmt: "packages/cli/src/mgmt.ts" },
    external: ["./main.js"],
    minify: true,
    define: { __MGMT_OVERVIEW__: JSON.stringify(overview) },
    esbuildOptions(esbuildOptions) {
      // Makes `import()` a `require`, which does not load the ES module loader.
      esbuildOptions.supported = { "dynamic-import": false };
    },
  });

/** Returns what `mgmt --help` prints: for 80 columns, and for a terminal that is wide enough for every line. */
const overviewOf = async ({ main }: { main: typeof mainOfCli }): Promise<Record<string, string>> => {
  const { version }: { version: string } = JSON.parse(readFileSync("packages/cli/package.json", "utf8"));
  const textFor = async (columns: number): Promise<string> => {
    let text = "";
    const stdout = { isTTY: true, columns, write: (part: string) => (text += part) };
    const host = { env: {}, cwd: () => process.cwd(), on: () => undefined, stdout };
    // Help uses no more of a process.
    await main(["--help"], version, host as unknown as ProcessLike);
    return text;
  };
  return { wrapped: await textFor(80), unwrapped: await textFor(1_000) };
};
