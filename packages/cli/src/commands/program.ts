import { commandTree, groupCommands } from "./generated/command-tree.js";
import type { Context, GlobalFlags } from "../input/context.js";
import { usageError } from "../errors/usage-errors.js";
import { addGroups } from "../run/groups.js";
import { type Format, formats, type Presentation } from "../output/output.js";
import { ignoredLinks } from "../profiles/link-file.js";
import { storedSettings } from "../profiles/stored-settings.js";
import { MgmtCommand } from "../command-line/command.js";
import { addCommands } from "../command-line/declared-commands.js";
import { addGlobalOptions, assertPaths, globalFlags } from "../command-line/global-options.js";
import { didYouMean } from "../text/suggest.js";

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
      assertPaths(command);
      const flags = globalFlags(command);
      const stored = storedSettings(flags, context);
      output.format = formatOf(flags) ?? stored.output ?? output.format;
      output.isDebugging = flags.debug ?? false;
      context.insecureAddresses.isAllowed = flags.insecure ?? false;
      const { format } = output;
      const pager = flags.pager ?? stored.pager;
      output.presentation = await readPresentation({ ...flags, format, pager }, context);
      for (const { file, reason } of ignoredLinks(context.cwd)) {
        const message = `${file} was ignored, because ${reason}`;
        await output.warn({ code: "link:ignored", message, from: file });
      }
    });
  program.helpIsData = ["json", "yaml", "ndjson"].includes(output.format);
  addGlobalOptions(program);
  addGroups(program, groupCommands, context);
  addCommands(program, commandTree, context);
  return program;
};

interface PresentationFlags extends Pick<GlobalFlags, "output" | "fields" | "query" | "jq"> {
  /** That of `output`, or the stored or usual one. */
  readonly format: Format;
  readonly pager: boolean | undefined;
}

const readPresentation = async (
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
    const other = Object.entries({ fields, query }).find(([, value]) => value !== undefined);
    if (other) {
      throw usageError(
        `--${other[0]} and --jq cannot be used together`,
        "Select everything with one of them.",
      );
    }
    if (output !== undefined && output !== "json" && output !== "table") {
      throw usageError(
        `--jq cannot be used with --output ${output}`,
        "Leave --output out: jq decides what is printed.",
      );
    }
    const { jqQuery } = await import("../output/jq.js");
    return { pager, query: await jqQuery(jq, env) };
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

/** Returns the format that the flags select. */
const formatOf = ({ output, json }: GlobalFlags): Format | undefined => {
  const format = output === undefined ? undefined : readFormat(output);
  if (!json) return format;
  if (format === undefined || format === "json") return "json";
  throw usageError(`--json and --output ${format} cannot be used together`, "Pass one of them.");
};

const readFormat = (text: string): Format => {
  const format = formats.find((name) => name === text);
  if (format === undefined) {
    const hint = `${didYouMean(text, formats)}Allowed: ${formats.join(", ")}.`;
    throw usageError(`--output cannot be ${JSON.stringify(text)}`, hint);
  }
  return format;
};
