import { commandTree, groupCommands } from "./generated/command-tree.js";
import type { Context } from "../input/context.js";
import { addGroups } from "../run/groups.js";
import { findIgnoredLinks } from "../profiles/link-file.js";
import { readStoredSettings } from "../profiles/stored-settings.js";
import { MgmtCommand } from "../command-line/command.js";
import { addCommands } from "../command-line/declared-commands.js";
import { addGlobalOptions, assertPathsNotEmpty, collectGlobalFlags } from "../command-line/global-options.js";
import { resolveFormat, resolvePresentation } from "./output-flags.js";

/** Rejects fields that the result of a handwritten command does not have. An operation checks its own. */
const assertKnownFields = async ({ line }: MgmtCommand, fields: readonly string[]): Promise<void> => {
  const [{ printedResults }, { assertPrintedFields }] = await Promise.all([
    import("./schema/generated/printed-schemas.js"),
    import("../run/assert-fields.js"),
  ]);
  const [, schema] = Object.entries(printedResults).find(([words]) => line === `mgmt ${words}`) ?? [];
  if (schema) await assertPrintedFields(schema, fields);
};

/** Builds the parser of the whole command line. */
export const buildProgram = (context: Context): MgmtCommand => {
  const { output, version } = context;
  const program = new MgmtCommand("mgmt");
  program
    .description("The Management API: projects, Postgres databases and what belongs to them.")
    .usage("<command> [options]")
    .enablePositionalOptions()
    .exitOverride()
    .version(version, "-V, --version", "show the version")
    .helpOption("-h, --help", "show help, also after a command")
    // Commander throws its errors as well, and `main` reports them once.
    .configureOutput({
      writeOut: (text) => output.writeText(text),
      getOutHelpWidth: () => output.helpWidth,
      writeErr: () => {},
      outputError: () => {},
    })
    .hook("preAction", async (_, command) => {
      assertPathsNotEmpty(command);
      const flags = collectGlobalFlags(command);
      const storedOptions = readStoredSettings(flags, context);
      output.format = resolveFormat(flags) ?? storedOptions.output ?? output.format;
      output.isDebugging = flags.debug ?? false;
      output.isVerbose = flags.verbose ?? false;
      context.insecureUrls.isAllowed = flags.insecure ?? false;
      const { format } = output;
      const pager = flags.pager ?? storedOptions.pager;
      output.presentation = await resolvePresentation(
        { ...flags, ...(flags.csv && { output: "csv" }), format, pager },
        context,
      );
      const { fields } = output.presentation;
      if (fields && command instanceof MgmtCommand && !command.definition)
        await assertKnownFields(command, fields);
      for (const { file, reason } of findIgnoredLinks(context.cwd)) {
        const message = `${file} was ignored, because ${reason}`;
        await output.warn({ code: "link:ignored", message, from: file });
      }
    });
  program.printsHelpAsData = ["json", "yaml", "ndjson"].includes(output.format);
  addGlobalOptions(program);
  addGroups(program, groupCommands, context);
  addCommands(program, commandTree, context);
  return program;
};
