import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { DatabaseTestSettings } from "./kit-options.js";
import { listFiles, readLockFiles, toPortablePath } from "./template-files.js";

/** A change of how templates are made needs another version. */
const templateFormat = 1;

/**
 * Returns the name of the template for a setup: a hash of everything that its content depends on, as far as it is known.
 *
 * @param postgresVersion for example `18.4`.
 * @throws PlatformError `platform:test_files_missing`.
 */
export const computeTemplateId = async (
  { setup, key, files, cwd }: DatabaseTestSettings,
  postgresVersion: string,
): Promise<string> => {
  const hash = createHash("sha256");
  // The length of each part keeps parts from running into each other.
  const add = (part: string | Buffer): void =>
    void hash.update(`${String(Buffer.byteLength(part))}:`).update(part);
  add(String(templateFormat));
  add(postgresVersion);
  add(typeof setup === "function" ? `function ${setup.toString()}` : `command ${setup ?? ""}`);
  add(key);
  // Two projects may have the same setup, whose programs differ.
  if (setup !== undefined) add(resolve(cwd));
  for (const pattern of files) {
    for (const path of await listFiles(pattern, cwd)) {
      add(toPortablePath(path, resolve(cwd)));
      add(await readFile(path));
    }
  }
  for (const content of setup === undefined ? [] : await readLockFiles(resolve(cwd))) add(content);
  return hash.digest("hex").slice(0, 32);
};
