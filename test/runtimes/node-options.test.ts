import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { definedCommands } from "../../packages/cli/test/program.js";
import { nodeVersions, optionsFile, readOptions } from "../node-options/read-options.js";
import { nodeProgram } from "./tools.js";

const folder = mkdtempSync(join(tmpdir(), "mgmt-node-options-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const script = join(folder, "script.cjs");
writeFileSync(script, "console.log(JSON.stringify({ own: process.execArgv, args: process.argv.slice(2) }));");

describe.concurrent.each(nodeVersions)("Node.js %i", (version) => {
  const node = nodeProgram(String(version));

  // Add -u to update the list.
  it("has the options of its list in test/node-options", async ({ expect }) => {
    await expect(readOptions(node)).toMatchFileSnapshot(fileURLToPath(optionsFile(version)));
  });

  it("takes no flag of the CLI after the name of the script", async () => {
    const flags = (await definedCommands()).flatMap(({ options }) =>
      options.flatMap(({ short, long }) => [short ?? [], long ?? []].flat()),
    );
    const args = ["command", "--help", ...new Set(flags)].flatMap((flag) => [flag, "value", `${flag}=value`]);
    const printed = execFileSync(node, [script, ...args], { encoding: "utf8", env: {}, cwd: folder });
    expect(JSON.parse(printed)).toEqual({ own: [], args });
  });
});
