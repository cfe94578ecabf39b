import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync } from "node:fs";
import { delimiter, join, sep } from "node:path";
import type { Build } from "../rows/build.js";
import { benchFolder, programFolder, root } from "../runner/paths.js";
import { linkDependencies } from "./installed.js";

const cache = join(programFolder, "commits");

/** Returns the build of a commit, which is made once. */
export const buildCommit = (commit: string): Build => {
  const folder = join(cache, commit);
  if (!existsSync(folder)) {
    const unfinished = `${folder}-unfinished`;
    rmSync(unfinished, { recursive: true, force: true });
    mkdirSync(unfinished, { recursive: true });
    const archive = join(cache, `${commit}.tar`);
    run(root, "git", "archive", "--format=tar", "--output", archive, commit);
    run(unfinished, "tar", "-xf", archive);
    rmSync(archive);
    linkDependencies(unfinished, cache);
    runBuildScript(unfinished);
    // The links to its own packages contain its path.
    rmSync(join(unfinished, "node_modules"), { recursive: true });
    renameSync(unfinished, folder);
    linkDependencies(folder, cache);
  }
  return withPrograms(folder);
};

/** Copies the build of the working tree to a folder that is like the one of another commit. */
export const copyWorkingTree = (): Build => {
  const folder = join(cache, "working-tree");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const file of ["package.json", "package-lock.json"]) cpSync(join(root, file), join(folder, file));
  for (const name of readdirSync(join(root, "packages"))) {
    const source = join(root, "packages", name);
    const left = ["node_modules", "src", "test"].map((each) => join(source, each));
    cpSync(source, join(folder, "packages", name), {
      recursive: true,
      filter: (path) => !left.some((each) => path === each || path.startsWith(each + sep)),
    });
  }
  linkDependencies(folder, cache);
  return withPrograms(folder);
};

/** Runs the first command of the build script. The others change `node_modules`, which has links to that of the root. */
const runBuildScript = (folder: string): void => {
  const { scripts }: { scripts: { build: string } } = JSON.parse(
    readFileSync(join(folder, "package.json"), "utf8"),
  );
  const [command = ""] = scripts.build.split("&&");
  const { status, stdout, stderr } = spawnSync(command, {
    cwd: folder,
    shell: true,
    encoding: "utf8",
    env: {
      ...process.env,
      PATH: [join(folder, "node_modules/.bin"), process.env["PATH"]].join(delimiter),
    },
  });
  if (status !== 0) throw new Error(`\`${command.trim()}\` failed in ${folder}:\n${stdout}${stderr}`);
};

/** Adds the present programs, which then import the packages of that folder. */
const withPrograms = (folder: string): Build => {
  const programs = join(folder, "programs");
  rmSync(programs, { recursive: true, force: true });
  mkdirSync(programs);
  for (const name of readdirSync(programFolder)) {
    if (name.endsWith(".js")) cpSync(join(programFolder, name), join(programs, name));
  }
  const contenders = join(folder, "contenders");
  cpSync(join(benchFolder, "contenders"), contenders, { recursive: true });
  return { folder, programs, contenders, mgmt: join(folder, "packages/cli/dist/mgmt.js") };
};

const run = (cwd: string, program: string, ...parameters: string[]): void => {
  const { status, stderr } = spawnSync(program, parameters, { cwd, encoding: "utf8" });
  if (status !== 0) throw new Error(`${[program, ...parameters].join(" ")} failed:\n${stderr}`);
};
