import type { Context, GlobalFlags } from "../input/context.js";
import { usageError } from "../errors/usage-errors.js";
import { type OutputFormat, outputFormats } from "../output/output-format.js";
import type { Presentation } from "../output/output.js";
import { formatSuggestion } from "../text/suggest.js";

interface PresentationFlags extends Pick<GlobalFlags, "output" | "fields" | "query" | "jq"> {
  /** The format of `output`, or else the stored or the default format. */
  readonly format: OutputFormat;
  readonly pager: boolean | undefined;
}

/** Returns how results are printed. Throws `usage:invalid` for flags that contradict each other. */
export const resolvePresentation = async (
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
export const resolveFormat = ({ output, json, csv }: GlobalFlags): OutputFormat | undefined => {
  const format = output === undefined ? undefined : parseFormat(output);
  if (json && csv) throw usageError("--json and --csv cannot be used together", "Pass one of them.");
  const shortFormat = json ? "json" : csv ? "csv" : undefined;
  if (shortFormat === undefined || format === undefined || format === shortFormat)
    return shortFormat ?? format;
  throw usageError(`--${shortFormat} and --output ${format} cannot be used together`, "Pass one of them.");
};

const parseFormat = (formatName: string): OutputFormat => {
  const format = outputFormats.find((name) => name === formatName);
  if (format === undefined) {
    const hint = `${formatSuggestion(formatName, outputFormats)}Allowed: ${outputFormats.join(", ")}.`;
    throw usageError(`--output cannot be ${JSON.stringify(formatName)}`, hint);
  }
  return format;
};
