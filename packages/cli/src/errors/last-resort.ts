import { readErrorCode } from "@mgmt/internal/errors/error-code";
/** Codes of system errors that indicate that this process, or the system, has too many open files. */
const tooManyFilesCodes: readonly string[] = ["EMFILE", "ENFILE"];

/** Returns whether the code of a system error indicates that this process, or the system, has too many open files. */
export const isTooManyFilesCode = (code: unknown): boolean =>
  typeof code === "string" && tooManyFilesCodes.includes(code);

/** The hint for an error about too many open files. */
export const tooManyFilesHint =
  "Raise the limit of open files (ulimit -n 256), or close other programs. Then run the command again; it may have taken effect.";

/** Describes a system error without its path and stack. Returns undefined for other errors. */
export const describeTooManyFiles = (error: unknown) => {
  const code = readErrorCode(error);
  if (code === undefined || !isTooManyFilesCode(code)) return undefined;
  return {
    code: "system:open_files_limit",
    message: `The system cannot open another file (${code})`,
    hint: tooManyFilesHint,
  };
};

/**
 * Returns the text for an error that could not be reported in the usual way, because the code for it cannot be loaded
 * either.
 *
 * @param args arguments of the command line, which indicate whether errors are JSON.
 */
export const renderLastResort = (error: unknown, args: readonly string[]): string => {
  const { code, message, hint } = describeTooManyFiles(error) ?? {
    code: "internal:unexpected",
    message: getFirstLine(error),
    hint: "A file of mgmt is missing or damaged. Install it again: npm install --global @mgmt/cli, or npm ci in your project.",
  };
  const isJson = /(^| )((-o|--output)[ =]?(json|ndjson)|--json)( |$)/.test(args.join(" "));
  return isJson
    ? `${JSON.stringify({ error: { code, message, hint, next: [["mgmt", "--help"]] } })}\n`
    : `error: ${message} (${code})\nhint: ${hint}\n`;
};

/** Returns the first line of an error's message. */
export const getFirstLine = (error: unknown): string => {
  const message = error instanceof Error ? error.message : String(error);
  return message.split("\n", 1)[0] || "Something unexpected happened";
};
