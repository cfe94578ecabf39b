import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, it } from "vitest";
import { temporaryFolder } from "../../test/folders.js";
import { readPrivateFile } from "./private-file.js";

it.skipIf(process.platform === "win32")("does not wait for the writer of a named pipe", async () => {
  const path = join(temporaryFolder(), "key");
  execFileSync("mkfifo", ["-m", "600", path]);
  expect(await readPrivateFile(path)).toBeUndefined();
});
