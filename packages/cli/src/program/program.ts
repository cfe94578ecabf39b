import { groupCommands, porcelainCommands } from "../commands/command-tree.js";
import type { Context, GlobalFlags } from "../context.js";
import { usageError } from "../errors/usage-errors.js";
import { addGroups } from "../operations/groups.js";
import { type Format, formats, type Presentation } from "../output/output.js";
import { ignoredLinks } from "../profiles/link-file.js";
import { storedSettings } from "../profiles/stored-settings.js";
import { MgmtCommand } from "./command.js";
import { addGlobalOptions, globalFlags } from "./global-options.js";
import { addSections, overviewSections } from "./help-sections.js";
import { addPorcelain } from "./porcelain.js";
import { didYouMean } from "./suggest.js";

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
      writeOut: (text) => output.text(text),
      getOutHelpWidth: () => output.helpWidth,
      writeErr: () => {},
      outputError: () => {},
    })
    .hook("preAction", async (_, command) => {
      const flags = globalFlags(command);
      const stored = storedSettings(flags, context);
      output.format =
        flags.output === undefined ? (stored.output ?? output.format) : readFormat(flags.output);
      output.isDebugging = flags.debug ?? false;
      context.encryption.isOptional = flags.insecure ?? false;
      output.presentation = await readPresentation({ ...flags, pager: flags.pager ?? stored.pager });
      for (const { file, reason } of ignoredLinks(context.cwd)) {
        const message = `${file} was ignored, because ${reason}`;
        await output.warn({ code: "link:ignored", message, from: file });
      }
    });
  program.helpIsData = ["json", "yaml", "ndjson"].includes(output.format);
  addGlobalOptions(program);
  addGroups(program, groupCommands, context);
  addPorcelain(program, porcelainCommands, context);
  addSections(program, overviewSections);
  return program;
};

interface PresentationFlags extends Pick<GlobalFlags, "fields" | "query"> {
  readonly pager: boolean | undefined;
}

const readPresentation = async ({ fields, query, pager }: PresentationFlags): Promise<Presentation> => {
  if (fields !== undefined && query !== undefined) {
    throw usageError("--fields and --query cannot be used together", "Select the fields in the query.");
  }
  return {
    pager,
    ...(fields !== undefined && { fields: readFields(fields) }),
    ...(query !== undefined && { query: (await import("../output/query.js")).parseQuery(query) }),
  };
};

const readFields = (text: string): string[] => {
  const names = text.split(",").map((name) => name.trim());
  if (names.every((name) => /^[\w*-]+(\.[\w*-]+)*$/.test(name))) return [...new Set(names)];
  throw usageError(
    `--fields cannot be ${JSON.stringify(text)}`,
    "Use names with commas between them, such as id,name,region.id.",
  );
};

const readFormat = (text: string): Format => {
  const format = formats.find((each) => each === text);
  if (format === undefined) {
    const hint = `${didYouMean(text, formats)}Allowed: ${formats.join(", ")}.`;
    throw usageError(`--output cannot be ${JSON.stringify(text)}`, hint);
  }
  return format;
};
