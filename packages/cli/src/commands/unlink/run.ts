import { existsSync } from "node:fs";
import { rm, rmdir } from "node:fs/promises";
import { dirname } from "node:path";
import type { Context } from "../../context.js";
import { unwritableLink } from "../../errors/storage-errors.js";
import { linkFilesFrom } from "../../profiles/link-file.js";

/** Deletes the link file that applies to the working directory, even a corrupt one. */
export const runUnlink = async ({ cwd, output }: Pick<Context, "cwd" | "output">): Promise<void> => {
  const file = linkFilesFrom(cwd).find((each) => existsSync(each));
  if (file === undefined) return output.info("This folder is not linked.");
  try {
    await rm(file);
  } catch (error) {
    throw unwritableLink(file, error);
  }
  // Fails if the folder has other files in it, which is fine.
  await rmdir(dirname(file)).catch(() => undefined);
  output.info(`Deleted ${file}.`);
};
