import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { TestRunner, afterAll, onTestFinished } from "vitest";

/** A folder that does not exist, so that commands do not find the profiles of the user who runs the tests. */
export const noConfigDir = join(tmpdir(), `mgmt-test-no-profiles-${randomUUID()}`);

/** Where commands keep compiled code, rather than in the home directory of the user who runs the tests. All tests of a run share it. */
export const cacheDir = join(tmpdir(), "command-cache");

/** Creates a folder, deleted after the test, or after the tests of the file. Call it outside of hooks. */
export const temporaryFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), "mgmt-test-"));
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  // Vitest ignores an afterAll in a test.
  if (TestRunner.getCurrentTest()) onTestFinished(remove);
  else afterAll(remove);
  return folder;
};
