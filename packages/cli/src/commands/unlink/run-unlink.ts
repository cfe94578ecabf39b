import { lstatSync } from "node:fs";
import { rm, rmdir } from "node:fs/promises";
import { dirname } from "node:path";
import type { Context } from "../../input/context.js";
import { unwritableLinkError } from "../../errors/storage-errors.js";
import { listLinkFilePaths } from "../../profiles/link-file.js";

/** Deletes the link file that applies to the working directory, even a corrupt one. */
export const runUnlink = async ({ cwd, output }: Pick<Context, "cwd" | "output">): Promise<void> => {
  const linkPath = listLinkFilePaths(cwd).find((candidate) =>
    lstatSync(candidate, { throwIfNoEntry: false }),
  );
  if (linkPath === undefined) return output.info("This folder is not linked.");
  // The target of a symbolic link is not ours to delete.
  const path = isSymbolicLink(dirname(linkPath)) ? dirname(linkPath) : linkPath;
  try {
    await rm(path);
  } catch (error) {
    throw unwritableLinkError(path, error);
  }
  // Fails if the folder has other files in it, which is fine.
  if (path === linkPath) await rmdir(dirname(path)).catch(() => undefined);
  output.info(`Deleted ${path}.`);
};

const isSymbolicLink = (path: string): boolean =>
  lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
