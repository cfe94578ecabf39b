import { spawnSync } from "node:child_process";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { benchFolder, programFolder, root } from "./paths.js";

/** Builds the packages if stale, installs the benches' dependencies, and compiles their programs. */
export const prepare = async (): Promise<void> => {
  if (dependenciesAreStale()) {
    run("npm", "ci", "--prefix", benchFolder, "--ignore-scripts", "--no-audit", "--no-fund");
  }
  await prepareWithoutOthers();
};

/** Does the same without the other SDKs that some benches compare with. */
export const prepareWithoutOthers = async (): Promise<void> => {
  run(process.execPath, "scripts/build-if-stale.mjs");
  const folder = join(benchFolder, "programs");
  await build({
    entryPoints: readdirSync(folder)
      .filter((file) => file.endsWith(".ts") && !file.endsWith(".d.ts"))
      .map((file) => join(folder, file)),
    outdir: programFolder,
    format: "esm",
    target: "node20",
    logLevel: "warning",
  });
};

const dependenciesAreStale = (): boolean =>
  changed(join(benchFolder, "package-lock.json")) >
  changed(join(benchFolder, "node_modules/.package-lock.json"));

/** Returns when a file was last written, or 0 if it does not exist. */
const changed = (path: string): number => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;

const run = (program: string, ...parameters: string[]): void => {
  const { status } = spawnSync(program, parameters, { cwd: root, stdio: ["ignore", 2, 2] });
  if (status !== 0) throw new Error(`${[program, ...parameters].join(" ")} failed`);
};
