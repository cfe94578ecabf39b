import { execFile } from "node:child_process";
import { copyFileSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { buildMan } from "../build-man.js";
import { archiveName, folderIn, ownTarget, programName } from "../release/targets.js";
import { licensesFile } from "../third-party-licenses.js";
import { standaloneLicenses } from "./licenses.js";
import { buildProgram, keyringPackage } from "./program.js";

const run = promisify(execFile);
const root = fileURLToPath(new URL("../../", import.meta.url));

/**
 * Builds the standalone program of this system, and packs it with its licenses and manual pages.
 *
 * @param node A program of Node.js, as `buildProgram` takes it.
 * @param version Version of the command.
 * @param out Folder of the archive. It is created.
 * @returns the archive.
 */
export const buildArchive = async (node: string, version: string, out: string): Promise<string> => {
  const target = ownTarget();
  const parent = mkdtempSync(join(tmpdir(), "mgmt-archive-"));
  try {
    const folder = join(parent, folderIn(version, target));
    mkdirSync(folder);
    const program = join(folder, programName(target));
    await buildProgram(node, program);
    const versionOf = async (file: string): Promise<string> => (await run(file, ["--version"])).stdout.trim();
    const printed = await versionOf(program);
    if (printed !== version) throw new Error(`The program has version ${printed}, not ${version}.`);
    const licenses = standaloneLicenses(node, await versionOf(node), keyringPackage().folder);
    writeFileSync(join(folder, licensesFile), licenses);
    copyFileSync(join(root, "packages/cli/LICENSE"), join(folder, "LICENSE"));
    if (process.platform !== "win32") {
      // A build of the command alone has none.
      await buildMan();
      cpSync(join(root, "packages/cli/dist/man"), join(folder, "man"), { recursive: true });
    }
    mkdirSync(out, { recursive: true });
    const archive = join(out, archiveName(version, target));
    await pack(parent, folderIn(version, target), archive);
    return archive;
  } finally {
    rmSync(parent, { recursive: true, force: true });
  }
};

const pack = async (parent: string, name: string, archive: string): Promise<void> => {
  // The tar of Windows writes zip files. The PATH may have another one.
  const { platform, env } = process;
  const tar = platform === "win32" ? join(env["SystemRoot"] ?? "C:\\Windows", "System32/tar.exe") : "tar";
  const owner = platform === "linux" ? ["--owner=0", "--group=0", "--numeric-owner"] : [];
  await run(tar, [...owner, "-acf", archive, "-C", parent, name]);
};
