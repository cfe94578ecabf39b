import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";

/** A folder that does not exist, so that commands do not find the profiles of the user who runs the tests. */
export const noConfigDir = join(tmpdir(), `mgmt-test-no-profiles-${randomUUID()}`);

/** Where commands store compiled code, rather than in the home directory of the user who runs the tests. */
export const cacheDir = join(tmpdir(), "mgmt-test-cache");

/** Creates a folder, deleted after the tests of the file. Call it outside of tests and hooks. */
export const temporaryFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), "mgmt-test-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
};
