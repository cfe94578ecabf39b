import type { OperationCommand } from "../command-table.js";
import { defineDev } from "../commands/dev.js";
import { defineHelp } from "../commands/help.js";
import { defineOperations } from "../commands/operations.js";
import { usageError } from "../errors.js";
import { groups } from "../generated/groups.js";
import { type Format, formats } from "../output/output.js";
import { groupOverlays, overlayOf } from "../overlay.js";
import type { Context } from "../run/context.js";
import { lineOf, MgmtCommand } from "./command.js";
import { addGlobalOptions, globalFlags } from "./global-options.js";
import { addSections, overviewSections } from "./help.js";
import { defineOperation } from "./operation-command.js";

/** The whole command line. A group's commands are loaded when one of them is called. */
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
    .hook("preSubcommand", async (_, called) => {
      const group = groups.find(({ name }) => name === called.name());
      if (group) fillGroup(called, await group.load(), context);
    });
  addGlobalOptions(program);
  addGroups(program);
  defineDev(program.command("dev").helpGroup("This machine:"), context);
  defineOperations(program.command("operations").helpGroup("About:"), context);
  defineHelp(program.command("help").helpGroup("About:"), program);
  addSections(program, overviewSections);
  return program;
};

const addGroups = (program: MgmtCommand): void => {
  const order = Object.keys(groupOverlays);
  const rank = (name: string): number => (order.includes(name) ? order.indexOf(name) : order.length);
  for (const { name } of [...groups].sort((a, b) => rank(a.name) - rank(b.name))) {
    const { heading = "More:", summary = "", aliases = [] } = groupOverlays[name] ?? {};
    const command = program.command(name).helpGroup(heading).summary(summary).description(summary);
    command.usage("<command> [options]").aliases([...aliases]);
    addGlobalOptions(command, { hidden: true });
  }
};

/** `workspaces.serviceTokens.list` becomes `list` in `service-tokens` in the group `workspaces`. */
const fillGroup = (group: MgmtCommand, rows: readonly OperationCommand[], context: Context): void => {
  for (const row of rows) {
    const parent = row.words.slice(1, -1).reduce(descend, group);
    const name = row.words.at(-1) ?? row.id;
    defineOperation(
      parent.command(name, { isDefault: overlayOf(row.id).groupDefault ?? false }),
      row,
      context,
    );
  }
};

const descend = (parent: MgmtCommand, word: string): MgmtCommand => {
  const known = parent.commands.find((command) => command.name() === word);
  if (known) return known;
  const words = word.replaceAll("-", " ");
  const command = parent
    .command(word)
    .usage("<command> [options]")
    .summary(`${words.slice(0, 1).toUpperCase()}${words.slice(1)} of ${parent.name()}`);
  addGlobalOptions(command, { hidden: true });
  return command;
};

export const readFormat = (text: unknown): Format => {
  const format = formats.find((each) => each === text);
  if (format === undefined) {
    throw usageError(`--output cannot be ${JSON.stringify(text)}`, `Allowed: ${formats.join(", ")}.`);
  }
  return format;
};
