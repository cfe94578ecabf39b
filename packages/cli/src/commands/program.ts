import { commandTree, groupCommands } from "./generated/command-tree.js";
import type { Context, GlobalFlags } from "../input/context.js";
import { usageError } from "../errors/usage-errors.js";
import { addGroups } from "../run/groups.js";
import { type OutputFormat, outputFormats, type Presentation } from "../output/output.js";
import { findIgnoredLinks } from "../profiles/link-file.js";
import { readStoredSettings } from "../profiles/stored-settings.js";
import { MgmtCommand } from "../command-line/command.js";
import { addCommands } from "../command-line/declared-commands.js";
import { addGlobalOptions, assertPathsNotEmpty, collectGlobalFlags } from "../command-line/global-options.js";
import { formatSuggestion } from "../text/suggest.js";

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
      context.insecureAddresses.isAllowed = flags.insecure ?? false;
      const { format } = output;
      const pager = flags.pager ?? storedOptions.pager;
      output.presentation = await resolvePresentation({ ...flags, format, pager }, context);
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

interface PresentationFlags extends Pick<GlobalFlags, "output" | "fields" | "query" | "jq"> {
  /** The format of `output`, or else the stored or the default format. */
  readonly format: OutputFormat;
  readonly pager: boolean | undefined;
}

const resolvePresentation = async (
  { output, format, fields, query, jq, pager }: PresentationFlags,
  { env }: Context,
): Promise<Presentation> => {
  if (fields !== undefined && query !== undefined) {
    throw usageError("--fields and --query cannot be used together", "Select the fields in the query.");
  }
  if (fields !== undefined && format === "name") {
    throw usageError(
      "--fields cannot be used with --output name, which prints ids",
      "Choose another format, or print one field with --query, such as --query '[].name' for a list.",
    );
  }
  if (jq !== undefined) {
    const otherOption = Object.entries({ fields, query }).find(([, value]) => value !== undefined);
    if (otherOption) {
      throw usageError(
        `--${otherOption[0]} and --jq cannot be used together`,
        "Select everything with one of them.",
      );
    }
    if (output !== undefined && output !== "json" && output !== "table") {
      throw usageError(
        `--jq cannot be used with --output ${output}`,
        "Leave --output out: jq decides what is printed.",
      );
    }
    const { createJqQuery } = await import("../output/jq.js");
    return { pager, query: await createJqQuery(jq, env) };
  }
  return {
    pager,
    ...(fields !== undefined && { fields: parseFields(fields) }),
    ...(query !== undefined && { query: (await import("../output/query.js")).parseQuery(query) }),
  };
};

const parseFields = (fieldList: string): string[] => {
  const names = fieldList.split(",").map((name) => name.trim());
  if (names.every((name) => /^[\w*-]+(\.[\w*-]+)*$/.test(name))) return [...new Set(names)];
  throw usageError(
    `--fields cannot be ${JSON.stringify(fieldList)}`,
    "Use names with commas between them, such as id,name,region.id.",
  );
};

/** Returns the format that the flags select. */
const resolveFormat = ({ output, json }: GlobalFlags): OutputFormat | undefined => {
  const format = output === undefined ? undefined : parseFormat(output);
  if (!json) return format;
  if (format === undefined || format === "json") return "json";
  throw usageError(`--json and --output ${format} cannot be used together`, "Pass one of them.");
};

const parseFormat = (formatName: string): OutputFormat => {
  const format = outputFormats.find((name) => name === formatName);
  if (format === undefined) {
    const hint = `${formatSuggestion(formatName, outputFormats)}Allowed: ${outputFormats.join(", ")}.`;
    throw usageError(`--output cannot be ${JSON.stringify(formatName)}`, hint);
  }
  return format;
};
