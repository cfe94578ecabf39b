import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { definedCommands } from "../../packages/cli/test/program.js";
import { nodeVersions, optionsFile } from "./read-options.js";

/**
 * Flags that Node.js has too, which every program has and users expect. Node.js reads them only before the name of the script, as
 * test/runtimes/node-options.test.ts shows.
 */
const shared: readonly string[] = ["--help", "--version", "--watch"];

/** Returns the long flags of all commands. */
const ownFlags = async (): Promise<Set<string>> => {
  const commands = await definedCommands();
  return new Set(["--help", ...commands.flatMap(({ options }) => options.flatMap(({ long }) => long ?? []))]);
};

describe.each(nodeVersions)("Node.js %i", (version) => {
  const options = readFileSync(optionsFile(version), "utf8").trim().split("\n");

  it("has a list of options, with those that it takes wherever they are", () => {
    expect(options.length).toBeGreaterThan(200);
    expect(options).toEqual(
      expect.arrayContaining(["--env-file", "--env-file-if-exists", "--inspect", ...shared]),
    );
  });

  it("has no option with the name of a flag of the CLI", async () => {
    const own = await ownFlags();
    expect(own.size).toBeGreaterThan(100);
    expect(options.filter((option) => own.has(option) && !shared.includes(option))).toEqual([]);
  });
});
