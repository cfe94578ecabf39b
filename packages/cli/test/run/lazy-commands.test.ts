import { describe, expect, it } from "vitest";
import { MgmtCommand } from "../../src/command-line/command.js";
import { collectCommands } from "../../src/command-line/describe-command.js";
import { undefinedCommands } from "../program.js";

const linesOf = async (program: MgmtCommand): Promise<string[]> =>
  (await collectCommands(program)).map(({ line }) => line);

/** Returns a command with subcommands, and the names of those that are made. */
const family = (): { parent: MgmtCommand; made: string[] } => {
  const parent = new MgmtCommand("parent").exitOverride().configureOutput({ writeErr: () => undefined });
  const made: string[] = [];
  for (const name of ["one", "two", "three"]) {
    parent.addLazy({ name, aliases: [`${name}-too`], describe: () => made.push(name) });
  }
  return { parent, made };
};

describe("a command with subcommands", () => {
  it("makes the subcommand that a word calls, once", () => {
    const { parent, made } = family();
    const two = parent.subcommand("two");
    expect([two?.name(), two?.aliases(), two?.parent]).toEqual(["two", ["two-too"], parent]);
    expect(parent.subcommand("two-too")).toBe(two);
    expect(parent.subcommand("four")).toBeUndefined();
    expect(made).toEqual(["two"]);
  });

  it("lists all of them in the order in which they were added", () => {
    const { parent, made } = family();
    const three = parent.subcommand("three");
    expect(parent.commands.map((each) => each.name())).toEqual(["one", "two", "three"]);
    expect(parent.commands[2]).toBe(three);
    expect(made).toEqual(["three", "one", "two"]);
  });

  it("calls the one that a line names", async () => {
    const { parent, made } = family();
    parent.addLazy({
      name: "four",
      describe: (command) => {
        command.action(() => {
          made.push("called");
        });
      },
    });
    await parent.parseAsync(["four"], { from: "user" });
    expect(made).toEqual(["called"]);
  });

  it("suggests a name that is not made yet", async () => {
    const { parent } = family();
    await expect(parent.parseAsync(["thre"], { from: "user" })).rejects.toThrow("Did you mean three?");
  });

  it("refuses two of the same name", () => {
    const { parent } = family();
    parent.addLazy({ name: "two-too", describe: () => undefined });
    expect(() => parent.commands).toThrow("already have command 'two|two-too'");
  });
});

describe("mgmt", () => {
  it("has the same commands in the same order, whichever was called first", async () => {
    const program = undefinedCommands();
    for (const name of ["whoami", "regions", "databases"]) await program.subcommand(name)?.define();
    program.subcommand("databases")?.subcommand("rm");
    expect(await linesOf(program)).toEqual(await linesOf(undefinedCommands()));
  });
});
