import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { runCommand } from "./run-command.js";

/** A file of a repository that makes a parser call itself for each of its levels ends the whole process, without an error. */
it.each([
  ["JSON", '{"a":', "1", "}"],
  ["YAML", "[", "", "]"],
])("refuses a manifest of %s with 200,000 levels", async (_, open, inside, close) => {
  const cwd = mkdtempSync(join(tmpdir(), "mgmt-nested-"));
  try {
    writeFileSync(join(cwd, "mgmt.yaml"), open.repeat(200_000) + inside + close.repeat(200_000));
    const env = { MGMT_BASE_URL: "http://127.0.0.1:9", MGMT_TOKEN: "token", MGMT_CONFIG_DIR: cwd };
    expect(await runCommand("plan", { cwd, env })).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("nested more than 100 levels deep (manifest:invalid)"),
    });
  } finally {
    rmSync(cwd, { recursive: true });
  }
});
