import { spawnSync } from "node:child_process";
import { chmod, mkdir, mkdtemp, rm, statfs } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MgmtDev } from "../crash/mgmt-dev.js";

/** Runs a program, and throws what it prints unless it succeeds. */
export const runProgram = (program: string, ...words: string[]): string => {
  const { status, stdout, stderr, error } = spawnSync(program, words, { encoding: "utf8" });
  if (status !== 0) throw new Error(`${program} ${words.join(" ")}: ${error?.message ?? stderr}`);
  return stdout;
};

/** Why XFS cannot be mounted from a file; undefined if it can. */
export const xfsProblem =
  process.platform !== "linux" || process.getuid?.() !== 0
    ? "only root of Linux can mount a file system"
    : spawnSync("mkfs.xfs", ["-V"]).status === 0
      ? undefined
      : "mkfs.xfs is not installed";

/** A `mgmt dev` with its data in a file system of its own, or in a folder. */
export interface Place {
  readonly dev: MgmtDev;
  readonly folder: string;
  /** Returns how much of its file system is used, in bytes, once everything is written. */
  readUsed(): Promise<number>;
  /** Ends everything, and removes it. */
  close(): Promise<void>;
}

const makeFolder = async (): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), "mgmt-cloning-"));
  // The account of Postgres must reach what is in it.
  await chmod(folder, 0o755);
  return folder;
};

const readUsedOf = async (directory: string): Promise<number> => {
  runProgram("sync", "--file-system", directory);
  const { blocks, bfree, bsize } = await statfs(directory);
  return (blocks - bfree) * bsize;
};

/** @param options.reflink whether XFS can clone files. */
export const mountXfs = async (size: string, { reflink = true } = {}): Promise<Place> => {
  const folder = await makeFolder();
  const dev = new MgmtDev(folder);
  const image = join(folder, "image");
  runProgram("truncate", `--size=${size}`, image);
  runProgram("mkfs.xfs", "-q", "-m", `reflink=${reflink ? "1" : "0"}`, image);
  await mkdir(dev.dataDir);
  runProgram("mount", "-o", "loop", image, dev.dataDir);
  await chmod(dev.dataDir, 0o755);
  return {
    dev,
    folder,
    readUsed: () => readUsedOf(dev.dataDir),
    close: async () => {
      dev.killEverything();
      await dev.ended();
      runProgram("umount", "--lazy", dev.dataDir);
      await rm(folder, { recursive: true, force: true });
    },
  };
};

/** Makes a place in a folder for temporary files, whose file system is what it is. */
export const makePlace = async (): Promise<Place> => {
  const folder = await makeFolder();
  const dev = new MgmtDev(folder);
  return {
    dev,
    folder,
    readUsed: () => readUsedOf(folder),
    close: async () => {
      dev.killEverything();
      await dev.ended();
      await rm(folder, { recursive: true, force: true });
    },
  };
};
