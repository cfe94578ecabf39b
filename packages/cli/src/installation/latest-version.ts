import { spawn } from "node:child_process";
import { closeSync, constants, existsSync, futimesSync, lstatSync, openSync } from "node:fs";
import { dirname, join } from "node:path";
import { createDirectory } from "@mgmt/internal/files/create-directory";
import { isProtectedFolder, readOwnedFile } from "../files/cache-folder.js";
import { findProgram, buildProgramEnvironment } from "../system/find-program.js";
import { isStandalone } from "../system/standalone.js";

const dayMs = 86_400_000;

const { O_CREAT, O_NOFOLLOW = 0, O_TRUNC, O_WRONLY } = constants;

/**
 * The latest version of a package, as npm printed it into a file. npm asks the registry that it is configured with. The modification time
 * of the file is the time of the last lookup or notice.
 */
export class LatestVersionCache {
  private readonly file: string;

  /**
   * @param packageName name of the package.
   * @param folder folder of the file.
   * @param env environment of npm.
   */
  constructor(
    private readonly packageName: string,
    private readonly folder: string,
    private readonly env: NodeJS.ProcessEnv,
  ) {
    this.file = join(folder, "latest-version");
  }

  /** Returns the version, or undefined if it is not known. npm may still be looking it up, or may have failed. */
  read(): string | undefined {
    const cachedVersion = readOwnedFile(this.file)?.toString("utf8").trim() ?? "";
    return /^\d{1,9}\.\d{1,9}\.\d{1,9}$/.test(cachedVersion) ? cachedVersion : undefined;
  }

  /** Returns whether the last lookup or notice was more than a day ago. */
  isLookupDue(): boolean {
    const stats = lstatSync(this.file, { throwIfNoEntry: false });
    // The clock may have been moved back since.
    return stats === undefined || Math.abs(Date.now() - stats.mtimeMs) > dayMs;
  }

  /** Starts npm in the background, which writes the version. Without npm, only the time of the file changes. */
  startLookup(): void {
    const npmWords = findNpmCommand(this.env);
    const outputDescriptor = this.openFile(npmWords === undefined ? 0 : O_TRUNC);
    if (outputDescriptor === undefined) return;
    try {
      if (npmWords === undefined) return;
      const [program = "", ...args] = [
        ...npmWords,
        "view",
        this.packageName,
        "dist-tags.latest",
        ...npmFlags,
      ];
      spawn(program, args, {
        // In the working directory, an .npmrc could name another registry.
        cwd: this.folder,
        env: buildProgramEnvironment(this.env),
        detached: true,
        stdio: ["ignore", outputDescriptor, "ignore"],
        windowsHide: true,
      })
        .on("error", () => undefined)
        .unref();
    } finally {
      closeSync(outputDescriptor);
    }
  }

  /** Deletes the stored version. It is looked up again a day from now. */
  clear(): void {
    const outputDescriptor = this.openFile(O_TRUNC);
    if (outputDescriptor !== undefined) closeSync(outputDescriptor);
  }

  /**
   * Opens the file, and sets its time to now. Returns undefined if another user could have put a link in the place of its folder.
   *
   * @param truncateFlag `O_TRUNC` for an empty file, or 0.
   */
  private openFile(truncateFlag: number): number | undefined {
    if (!isProtectedFolder(this.folder)) return undefined;
    createDirectory(this.folder);
    const descriptor = openSync(this.file, O_WRONLY | O_CREAT | O_NOFOLLOW | truncateFlag, 0o600);
    // Opening it does not: it may be empty already.
    const now = Date.now() / 1_000;
    futimesSync(descriptor, now, now);
    return descriptor;
  }
}

/** Makes npm print only the version, and give up early. */
const npmFlags = [
  "--json=false",
  "--loglevel=silent",
  "--logs-max=0",
  "--no-update-notifier",
  "--fetch-retries=0",
  "--fetch-timeout=10000",
];

/** Returns the words that start npm, or undefined if it is not installed. */
const findNpmCommand = (env: NodeJS.ProcessEnv): string[] | undefined => {
  if (process.platform !== "win32") {
    const npm = findProgram("npm", env);
    return npm === undefined ? undefined : [npm];
  }
  // The npm in PATH is a script there, which only a shell can start, and the standalone program cannot run its program.
  if (isStandalone()) return undefined;
  const script = join(dirname(process.execPath), "node_modules/npm/bin/npm-cli.js");
  return existsSync(script) ? [process.execPath, script] : undefined;
};
