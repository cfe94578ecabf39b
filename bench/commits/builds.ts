import { spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { delimiter, join } from "node:path";
import type { Build } from "../runner/measurement.js";
import { programFolder, root } from "../runner/paths.js";
import { compilePrograms } from "../runner/prepare.js";

const cache = join(programFolder, "commits");

/** Returns the build of a commit, which is made once, with today's programs. */
export const buildCommit = async (commit: string): Promise<Build> => {
  const folder = join(cache, commit);
  if (!existsSync(folder)) {
    const unfinished = `${folder}-unfinished`;
    rmSync(unfinished, { recursive: true, force: true });
    mkdirSync(unfinished, { recursive: true });
    const archive = join(cache, `${commit}.tar`);
    run(root, "git", "archive", "--format=tar", "--output", archive, commit);
    run(unfinished, "tar", "-xf", archive);
    rmSync(archive);
    addDependencies(unfinished);
    runBuildScript(unfinished);
    renameSync(unfinished, folder);
  }
  await compilePrograms(folder);
  return { folder, mgmt: join(folder, "packages/cli/dist/mgmt.js") };
};

/** Links those of the root if the lockfile is the same, and installs them otherwise. */
const addDependencies = (checkout: string): void => {
  const lockOf = (folder: string): string => readFileSync(join(folder, "package-lock.json"), "utf8");
  if (lockOf(checkout) !== lockOf(root)) {
    // npm would take the folder for a part of the repository that contains it.
    run(checkout, "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--prefix", checkout);
    return;
  }
  for (const owner of [".", ...readdirSync(join(root, "packages")).map((name) => join("packages", name))]) {
    const installed = join(root, owner, "node_modules");
    if (!existsSync(installed) || !existsSync(join(checkout, owner))) continue;
    const modules = join(checkout, owner, "node_modules");
    mkdirSync(modules);
    for (const name of readdirSync(installed)) {
      // The links to the repository's own packages are relative. What the build caches belongs to one commit.
      if (name === "@mgmt")
        cpSync(join(installed, name), join(modules, name), { recursive: true, verbatimSymlinks: true });
      else if (name !== ".cache") symlinkSync(join(installed, name), join(modules, name), "junction");
    }
  }
};

/** Runs the first command of the build script. The others change `node_modules`, which has links to that of the root. */
const runBuildScript = (folder: string): void => {
  const { scripts }: { scripts: { build: string } } = JSON.parse(
    readFileSync(join(folder, "package.json"), "utf8"),
  );
  const [command = ""] = scripts.build.split("&&");
  const path = [join(folder, "node_modules/.bin"), process.env["PATH"]].join(delimiter);
  const { status, stdout, stderr } = spawnSync(command, {
    cwd: folder,
    shell: true,
    encoding: "utf8",
    env: { ...process.env, PATH: path },
  });
  if (status !== 0) throw new Error(`\`${command.trim()}\` failed in ${folder}:\n${stdout}${stderr}`);
};

const run = (cwd: string, program: string, ...parameters: string[]): void => {
  const { status, stderr } = spawnSync(program, parameters, { cwd, encoding: "utf8" });
  if (status !== 0) throw new Error(`${[program, ...parameters].join(" ")} failed:\n${stderr}`);
};
