import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { root } from "../../scripts/generate/contract/contract.js";

interface Report {
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly message: string;
  }[];
}

it("fails the test files that leave something behind, and no other file of their process", async () => {
  const vitest = join(root, "node_modules/vitest/vitest.mjs");
  const line = [vitest, "run", "--config", "test/setup/fixture/vitest.config.ts", "--reporter=json"];
  const failed: { stdout?: string } = await promisify(execFile)(process.execPath, line, { cwd: root }).catch(
    (error: { stdout?: string }) => error,
  );
  // Printed by Vitest.
  const { testResults } = JSON.parse(failed.stdout ?? "") as Report;
  const left = testResults.map(({ name, message }) => [
    name.replace(/^.*\/(.+)\.fixture\.ts$/, "$1"),
    /^This file leaves (?:changes to later ones: )?(.*)\. (?:Undo|Close)/
      .exec(message)?.[1]
      ?.replace(/\/.*\//, ""),
  ]);
  expect(Object.fromEntries(left)).toEqual({
    "error-class": "error classes of the SDK (quota:exceeded)",
    ...(process.platform === "linux" && { file: "files open: file (deleted)" }),
    nothing: undefined,
    server: "listening servers (count)",
    variable: "environment variables (LEFT_BEHIND)",
  });
});
