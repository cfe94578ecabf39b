import { expect, it } from "vitest";
import { undefinedCommands } from "../../test/program.js";
import { collectCommands } from "./describe-command.js";

it("has the same commands in the same order, whichever was called first, by its name or an alias", async () => {
  const linesOf = async (program: ReturnType<typeof undefinedCommands>): Promise<string[]> =>
    (await collectCommands(program)).map(({ line }) => line);
  const program = undefinedCommands();
  for (const name of ["whoami", "regions", "databases"]) await program.findSubcommand(name)?.define();
  expect(program.findSubcommand("databases")?.findSubcommand("rm")?.name()).toBe("delete");
  expect(await linesOf(program)).toEqual(await linesOf(undefinedCommands()));
});
