import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { root } from "../../scripts/generate/contract/contract.js";

it("generates the committed files from the contract without a change", async () => {
  const run = promisify(execFile)("npm", ["run", "--silent", "generate", "--", "--check"], { cwd: root });
  await expect(run).resolves.toMatchObject({
    stdout: expect.stringMatching(/^\d+ operations, 0 file\(s\) stale\n$/),
  });
}, 600_000);
