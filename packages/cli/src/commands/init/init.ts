import { Option } from "commander";
import { usageError } from "../../errors/usage-errors.js";
import { assertPathId } from "../../input/ids.js";
import { collectGlobalFlags } from "../../command-line/global-options.js";
import type { HandwrittenCommand } from "../../command-line/handwritten-command.js";
import type { InitFlags, InitResult } from "./run-init.js";

export const initCommand: HandwrittenCommand<InitResult> = {
  commandPath: "init",
  helpGroup: "account",
  order: 60,
  summary: "Set this folder up for a project",
  description:
    "Sets this folder up for a project: chooses or creates the project, links the folder, adds what git should ignore to " +
    ".gitignore, and writes the connection string into .env. On a terminal, asks for what is not given, and whether to use the " +
    "project that .mgmt/link.json names, which may be from somebody else's repository. What is done already stays, so that it " +
    "can run any number of times.",
  examples: ["mgmt init --project-id shop", "mgmt init --create store --region eu-central-1 --no-env"],
  define: (command, context) => {
    command
      .addOption(new Option("--project-id <id>", "project to use: its id or name").conflicts("create"))
      .option(
        "--create <name>",
        "create a project with this name, or use the linked project if it has this name",
      )
      .option("--region <region>", "region of the project that is created, such as eu-central-1")
      .option(
        "--file <path>",
        "file for the connection string (default: .env); - for standard output is refused",
      )
      .option("--name <variable>", "name of the variable (default: DATABASE_URL)")
      .option("--env", "write the connection string (default: asks on a terminal, elsewhere yes)")
      .option("--no-env", "write no connection string")
      .option("--gitignore", "add lines to .gitignore (default: asks on a terminal, elsewhere yes)")
      .option("--no-gitignore", "do not change .gitignore");
    command.action(async () => {
      const flags = command.opts<InitFlags>();
      const { projectId, create, region, file } = flags;
      if (projectId !== undefined) assertPathId("--project-id", projectId);
      if (file === "-")
        throw usageError(
          "--file cannot be - because mgmt init does not print the connection string",
          "mgmt env --file - prints it.",
        );
      if (create?.trim() === "") throw usageError("--create must not be empty");
      if (region !== undefined && create === undefined) throw usageError("--region needs --create");
      const { runInit } = await import("./run-init.js");
      await runInit(flags, collectGlobalFlags(command), context);
    });
  },
};
