import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { arch, availableParallelism, cpus, loadavg, platform, totalmem } from "node:os";
import { join } from "node:path";
import { packageFolders } from "../../scripts/packages.mjs";
import { benchFolder, embeddedPostgres, root } from "./paths.js";

/** Describes the kind of machine, without its name. On a busy machine, only processor times are meaningful. */
export const describeMachine = (): string => {
  const [load = 0] = loadavg();
  const busy = load > 0.5 ? " (busy: trust ratios by processor time only)" : "";
  return [
    `${new Date().toISOString().slice(0, 10)}`,
    `${platform()} ${arch()}`,
    `${String(availableParallelism())} × ${cpus()[0]?.model.trim() ?? "unknown processor"}`,
    `${String(Math.round(totalmem() / 2 ** 30))} GiB`,
    `load ${load.toFixed(2)}${busy}`,
  ].join(", ");
};

/**
 * Starts measuring processor time stolen by other virtual machines. Returns a function that describes it, or returns undefined
 * if the system does not report it.
 */
export const watchStolenTime = (): (() => string | undefined) => {
  const before = readTicks();
  return () => {
    const after = readTicks();
    if (!before || !after) return undefined;
    const share = (after.stolen - before.stolen) / (after.all - before.all);
    return `processor time stolen by other virtual machines: ${(share * 100).toFixed(0)} %`;
  };
};

/** Reads the first line of `/proc/stat`: user, nice, system, idle, iowait, irq, softirq, steal. */
const readTicks = (): { stolen: number; all: number } | undefined => {
  if (platform() !== "linux") return undefined;
  const [line = ""] = readFileSync("/proc/stat", "utf8").split("\n", 1);
  const ticks = line.split(/ +/).slice(1, 9).map(Number);
  return { stolen: ticks[7] ?? 0, all: ticks.reduce((sum, each) => sum + each, 0) };
};

const ownDependencies = ["pg", "@prisma/management-api-sdk", "stripe", "openai", "@octokit/rest"];

/** Returns the hash of the present commit, or an empty string outside a repository. */
export const headCommit = (): string =>
  spawnSync("git", ["rev-parse", "HEAD"], { cwd: root, encoding: "utf8" }).stdout.trim();

/** Lists the versions of everything that affects the numbers. */
export const describeVersions = (): string => {
  const commit = headCommit();
  return [
    `node ${process.versions.node}`,
    ...packageFolders.map((name) => version(`@mgmt/${name}`, join(root, "packages", name))),
    ...(commit === "" ? [] : [`commit ${commit.slice(0, 8)}`]),
    version("msw", join(root, "node_modules/msw")),
    ...["esbuild", "typescript"].map((name) => version(name, join(root, "node_modules", name))),
    ...ownDependencies.map((name) => version(name, join(benchFolder, "node_modules", name))),
    version("embedded postgres", embeddedPostgres),
  ].join(", ");
};

const version = (name: string, folder: string): string => {
  const manifest = join(folder, "package.json");
  if (!existsSync(manifest)) return `${name} not installed`;
  const { version: found }: { version: string } = JSON.parse(readFileSync(manifest, "utf8"));
  return `${name} ${found}`;
};
