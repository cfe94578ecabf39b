import { spawnSync } from "node:child_process";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { benchFolder, programFolder, root } from "./paths.js";

/** Builds the packages if stale, and installs the other SDKs. */
export const prepare = async (): Promise<void> => {
  const installed = changed(join(benchFolder, "node_modules/.package-lock.json"));
  if (changed(join(benchFolder, "package-lock.json")) > installed) {
    run("npm", "ci", "--prefix", benchFolder, "--ignore-scripts", "--no-audit", "--no-fund");
  }
  run(process.execPath, "scripts/build-if-stale.mjs");
  await compilePrograms(programFolder);
};

/** Compiles the programs and contenders to a folder, whose packages they then import. */
export const compilePrograms = async (folder: string): Promise<void> => {
  const sources = ["programs", "contenders"].flatMap((each) =>
    readdirSync(join(benchFolder, each)).map((file) => join(benchFolder, each, file)),
  );
  await build({
    entryPoints: sources,
    outbase: benchFolder,
    outdir: folder,
    format: "esm",
    target: "node20",
    logLevel: "warning",
  });
};

/** Returns when a file was last written, or 0 if it does not exist. */
const changed = (path: string): number => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;

const run = (program: string, ...parameters: string[]): void => {
  const { status } = spawnSync(program, parameters, { cwd: root, stdio: ["ignore", 2, 2] });
  if (status !== 0) throw new Error(`${[program, ...parameters].join(" ")} failed`);
};
