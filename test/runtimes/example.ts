import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { cp, mkdir, symlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { tools } from "./tools.js";

const root = fileURLToPath(new URL("../../", import.meta.url));
export const examples = join(root, "examples");

/** Variables of the Vitest that runs the tests would change the programs under test. */
export const environment: NodeJS.ProcessEnv = Object.fromEntries(
  Object.entries(process.env).filter(
    ([name]) => !/^(VITEST|VITE_|MGMT_|NODE_ENV|NODE_OPTIONS|NODE_TEST|TEST$|npm_)/.test(name),
  ),
);

/** Runs a program. If it fails, the error contains its output. */
export const run = async (
  program: string,
  words: readonly string[],
  { cwd, env = {} }: { cwd: string; env?: NodeJS.ProcessEnv },
): Promise<string> => {
  const { stdout, stderr } = await promisify(execFile)(program, words, {
    cwd,
    env: { ...environment, ...env },
  }).catch((error: { stdout?: string; stderr?: string }) => {
    throw new Error(`${program} ${words.join(" ")}: ${error.stdout ?? ""}${error.stderr ?? ""}`, {
      cause: error,
    });
  });
  return stdout + stderr;
};

/** Runs a script of an example's package.json. */
export const runScript = (
  cwd: string,
  script: string,
  env: NodeJS.ProcessEnv = {},
  ...words: string[]
): Promise<string> => run("npm", ["run", "--silent", script, "--", ...words], { cwd, env });

/** A program that runs until it is stopped. */
export interface RunningProgram {
  /** The part of its output that was waited for. */
  readonly found: string;
  stop(): Promise<void>;
}

/** Starts a program, and waits until a line of its output matches. */
export const start = async (
  program: string,
  words: readonly string[],
  { cwd, env = {}, until }: { cwd: string; env?: NodeJS.ProcessEnv; until: RegExp },
): Promise<RunningProgram> => {
  const child: ChildProcess = spawn(program, words, {
    cwd,
    env: { ...environment, NO_COLOR: "1", ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  if (!child.stdout) throw new Error(`${program} has no output`);
  const ended = once(child, "exit");
  for await (const line of createInterface({ input: child.stdout })) {
    const [found] = until.exec(line) ?? [];
    if (found === undefined) continue;
    child.stdout.resume();
    const stop = async (): Promise<void> => {
      child.kill();
      await ended;
    };
    return { found, stop };
  }
  throw new Error(`${program} ${words.join(" ")} ended before it printed ${String(until)}`);
};

interface Manifest {
  bin?: string | Record<string, string>;
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
}
const manifestIn = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));

/**
 * Copies an example into the folder of the packed packages, and links the other packages that it declares. Returns the path of the
 * copy.
 *
 * @param others Names among the tools of packages that are linked instead of those with their own names.
 */
export const installExample = async (
  installed: string,
  name: string,
  others: Readonly<Record<string, string>> = {},
): Promise<string> => {
  // Next.js compiles no file whose path contains the name of that folder.
  const versions = Object.values(others).map((tool) => tool.replaceAll("/node_modules/", "-"));
  const folder = join(installed, "examples", [name, ...versions].join("-"));
  await cp(join(examples, name), folder, { recursive: true });
  const { dependencies, devDependencies } = manifestIn(folder);
  const declared = Object.keys({ ...dependencies, ...devDependencies });
  for (const each of declared) if (!each.startsWith("@mgmt/")) await link(folder, each, others[each]);
  return folder;
};

/** Copies the packed packages that tests use to a folder, where they import what is installed beside the copies. */
export const copyPackages = async (installed: string, folder: string): Promise<void> => {
  for (const name of ["mock", "platform", "sdk"]) {
    const path = join("node_modules/@mgmt", name);
    await cp(join(installed, path), join(folder, path), { recursive: true });
  }
};

/**
 * Makes a package of the tools, or of this repository, available in a folder, with its commands.
 *
 * @param tool its name among the tools. Default: its name.
 */
export const link = async (folder: string, name: string, tool = name): Promise<void> => {
  const target = [tools, join(root, "node_modules")]
    .map((modules) => join(modules, tool))
    .find((path) => existsSync(path));
  if (target === undefined) throw new Error(`${tool} is neither among the tools nor in this repository`);
  const modules = join(folder, "node_modules");
  await mkdir(dirname(join(modules, name)), { recursive: true });
  await symlink(target, join(modules, name));
  const { bin = {} } = manifestIn(target);
  const commands = typeof bin === "string" ? { [name.replace(/^.*\//, "")]: bin } : bin;
  await mkdir(join(modules, ".bin"), { recursive: true });
  for (const [command, file] of Object.entries(commands)) {
    await symlink(join(target, file), join(modules, ".bin", command));
  }
};
