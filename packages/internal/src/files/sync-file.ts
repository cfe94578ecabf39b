import { fsync } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { promisify } from "node:util";

/** Flushes a file or folder to disk. The handles of Yarn Plug'n'Play throw in `sync`, but have a descriptor. */
export const syncFile = (handle: FileHandle): Promise<void> =>
  process.versions["pnp"] === undefined ? handle.sync() : promisify(fsync)(handle.fd);
