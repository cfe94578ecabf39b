import { addAuthCommands } from "../commands/auth.js";
import { defineComplete, defineCompletion } from "../commands/completion.js";
import { defineDev } from "../commands/dev.js";
import { defineHelp } from "../commands/help.js";
import { defineOperations } from "../commands/operations.js";
import { defineLink, defineUnlink } from "../commands/link.js";
import { usageError } from "../errors.js";
import { type Format, formats } from "../output/output.js";
import type { Context } from "../run/context.js";
import { lineOf, MgmtCommand } from "./command.js";
import { addGlobalOptions, globalFlags } from "./global-options.js";
import { addGroups } from "./groups.js";
import { addSections, overviewSections } from "./help.js";

/** The whole command line. */
export const buildProgram = (context: Context): MgmtCommand => {
  const { output, version } = context;
  const program = new MgmtCommand("mgmt");
  program
    .description("The Management API: projects, Postgres databases and what belongs to them.")
    .usage("<command> [options]")
    .enablePositionalOptions()
    .exitOverride()
    .version(version, "-V, --version", "show the version")
    .helpOption("-h, --help", "show help, also behind every command")
    .configureHelp({
      subcommandTerm: (command) => command.name(),
      commandUsage: (command) => `${lineOf(command)} ${command.usage()}`,
    })
    // Errors are ours to write: commander throws, and what it says is reported once.
    .configureOutput({ writeOut: (text) => output.text(text), writeErr: () => {}, outputError: () => {} })
    .hook("preAction", (_, command) => {
      const { output: format } = globalFlags(command);
      if (format !== undefined) output.format = readFormat(format);
    })
    .hook("preSubcommand", (_, called) => (called instanceof MgmtCommand ? called.fill() : undefined));
  addGlobalOptions(program);
  addGroups(program, context);
  addAuthCommands(program, context);
  defineLink(program.command("link").helpGroup("This machine:"), context);
  defineUnlink(program.command("unlink").helpGroup("This machine:"), context);
  defineDev(program.command("dev").helpGroup("This machine:"), context);
  const about = "About:";
  defineOperations(program.command("operations").helpGroup(about), context);
  defineCompletion(program.command("completion").helpGroup(about), context);
  defineComplete(program.command("complete", { hidden: true }), program, context);
  defineHelp(program.command("help").helpGroup(about), program);
  addSections(program, overviewSections);
  return program;
};

const readFormat = (text: string): Format => {
  const format = formats.find((each) => each === text);
  if (format === undefined) {
    throw usageError(`--output cannot be ${JSON.stringify(text)}`, `Allowed: ${formats.join(", ")}.`);
  }
  return format;
};
