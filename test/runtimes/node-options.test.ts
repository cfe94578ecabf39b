import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { definedCommands } from "../../packages/cli/test/program.js";
import { nodeProgram } from "./tools.js";

const folder = mkdtempSync(join(tmpdir(), "mgmt-node-options-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const script = join(folder, "script.cjs");
writeFileSync(script, "console.log(JSON.stringify({ own: process.execArgv, args: process.argv.slice(2) }));");

/** Some versions of Node.js take a few of their own options also after the name of the script. */
it.each([20, 22, 24, 26])(
  "Node.js %i takes no flag of the CLI after the name of the script",
  async (version) => {
    const node = nodeProgram(String(version));
    const flags = (await definedCommands()).flatMap(({ options }) =>
      options.flatMap(({ short, long }) => [short ?? [], long ?? []].flat()),
    );
    const args = ["command", "--help", ...new Set(flags)].flatMap((flag) => [flag, "value", `${flag}=value`]);
    const printed = execFileSync(node, [script, ...args], { encoding: "utf8", env: {}, cwd: folder });
    expect(JSON.parse(printed)).toEqual({ own: [], args });
  },
);
