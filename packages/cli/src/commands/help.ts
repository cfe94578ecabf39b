import type { Command } from "commander";

/** `mgmt help projects create` is `mgmt projects create --help`. */
export const defineHelp = (command: Command, program: Command): void => {
  command
    .summary("Help for a command")
    .description("Help for a command.")
    .argument("[command...]", "the command")
    .action(async (words: string[]) => {
      await program.parseAsync([...words, "--help"], { from: "user" });
    });
};
