import { relative } from "node:path";
import { CliError, describeCause } from "../errors/cli-error.js";
import {
  type EnvFileReference,
  linkedEnvFileError,
  envFileQuoteError,
  undecodableEnvFileError,
  unwritableEnvFileError,
} from "../errors/database-errors.js";
import { decodeAsciiBased } from "./ascii-based.js";
import { LinkedPathError } from "../files/pinned-folder.js";
import { type ReplaceOptions, type ReplaceResult, replaceFile } from "../files/replace-file.js";

/** The result of setting a variable in an env file. */
export interface SetVariableResult extends ReplaceResult {
  /** How many lines set the variable now. */
  readonly assignmentCount: number;
}

/** How errors speak of an env file. */
export interface EnvFileNaming {
  /** The argument of a tool that names the file, by its path from the root. Default: the flag `--file`, and the whole path. */
  readonly argument?: string;
}

/**
 * Sets a variable in an env file, which is created for this user only if it does not exist. Every other byte is unchanged,
 * and the file is replaced as a whole. No symbolic link is followed.
 *
 * @param root the folder that the user is in.
 * @param mode permissions that the file gets. Default: a file that exists keeps its own.
 * @throws `env:unwritable`, and `env:invalid` if a quote has no end: programs would read what is written behind it differently.
 */
export const setEnvFileVariable = async (
  path: string,
  name: string,
  value: string,
  root: string,
  { mode, ...naming }: Pick<ReplaceOptions, "mode"> & EnvFileNaming = {},
): Promise<SetVariableResult> => {
  const file = toReference(path, root, naming);
  let assignmentCount = 1;
  try {
    const replaceResult = await replaceFile(path, { root, mode }, (currentContent) => {
      const content = readEnvFile(file, currentContent);
      assignmentCount = Math.max(1, findAssignments(content, name).length);
      return Buffer.from(replaceAssignments(content, name, value), "latin1");
    });
    return { ...replaceResult, assignmentCount };
  } catch (error) {
    throw toEnvFileError(file, root, naming, error);
  }
};

/** Thrown to cancel the replacement of a file whose content does not change. */
class UnchangedError extends Error {}

/**
 * Checks whether a variable can be set in an env file, without a change. The file may not exist.
 *
 * @param root the folder that the user is in.
 * @throws the errors of `setEnvFileVariable` that are known before.
 */
export const assertEnvFileSettable = async (
  path: string,
  root: string,
  naming: EnvFileNaming = {},
): Promise<void> => {
  const file = toReference(path, root, naming);
  try {
    await replaceFile(path, { root }, (currentContent) => {
      readEnvFile(file, currentContent);
      throw new UnchangedError();
    });
  } catch (error) {
    if (!(error instanceof UnchangedError)) throw toEnvFileError(file, root, naming, error);
  }
};

/** Returns the text of an env file. Throws `env:unwritable` and `env:invalid`. */
const readEnvFile = (file: EnvFileReference, bytes: Buffer | undefined): string => {
  const content = decodeAsciiBased(bytes);
  if (content === undefined) throw undecodableEnvFileError(file);
  const lineNumber = findOpenQuoteLine(content);
  if (lineNumber !== undefined) throw envFileQuoteError(file, lineNumber);
  return content;
};

const toReference = (path: string, root: string, { argument }: EnvFileNaming): EnvFileReference =>
  argument === undefined ? { path, argument: "--file" } : { path: relative(root, path), argument };

const toEnvFileError = (
  file: EnvFileReference,
  root: string,
  { argument }: EnvFileNaming,
  error: unknown,
): CliError => {
  if (error instanceof CliError) return error;
  if (!(error instanceof LinkedPathError)) return unwritableEnvFileError(file, describeCause(error));
  // An agent does not need to know the target of a link.
  const problem = argument === undefined ? error.message : `${relative(root, error.path)} is a symbolic link`;
  return linkedEnvFileError(file, problem);
};

/** The characters that may follow a quoted value. */
const valueEndPattern = String.raw`(?=[ \t]*(?:#[^\r\n]*)?$)`;
/** In the second form, a backslash before the last quote is an ordinary character, as in a path of Windows. */
const quotedValuePattern = String.raw`(?:"(?:[^"\\]|\\[^])*"|"[^"]*"|'[^']*'|${"`[^`]*`"})${valueEndPattern}`;
const unquotedValuePattern = String.raw`[^\r\n]*?(?=[ \t]+#|[ \t]*\r?$)`;
/** Every assignment, so that the lines in the quoted value of another variable are passed over. */
const assignmentPattern = new RegExp(
  String.raw`^([ \t]*(?:export[ \t]+)?([^\s=#]+)[ \t]*=[ \t]*)(?:${quotedValuePattern}|${unquotedValuePattern})`,
  "gm",
);

/** Returns the number of the line with a value whose quote has no end; undefined if there is none. */
export const findOpenQuoteLine = (content: string): number | undefined => {
  const openAssignment = [...content.matchAll(assignmentPattern)].find(
    ({ 0: matchText, 1: start = "", index }) => {
      const assignedValue = matchText.slice(start.length);
      const quote = /^["'`]/.exec(assignedValue)?.[0];
      if (quote === undefined || (assignedValue.length > 1 && assignedValue.endsWith(quote))) return false;
      const line = /^[^\r\n]*/.exec(content.slice(index + start.length))?.[0] ?? "";
      return !(quote === '"' ? line.replaceAll(/\\./g, "") : line).includes(quote, 1);
    },
  );
  return openAssignment && content.slice(0, openAssignment.index).split("\n").length;
};

/**
 * Returns the text of an env file with a variable set, given the text as `decodeAsciiBased` reads it. Every assignment of the variable is
 * replaced, because some programs use the first, and others the last.
 */
export const replaceAssignments = (content: string, name: string, value: string): string => {
  const assignments = findAssignments(content, name);
  if (assignments.length > 0) {
    return assignments.reduceRight(
      (resultText, { index, 0: matchText, 1: start = "" }) =>
        `${resultText.slice(0, index)}${start}"${value}"${resultText.slice(index + matchText.length)}`,
      content,
    );
  }
  const newline = content.includes("\r\n") ? "\r\n" : "\n";
  const separator = content === "" || content.endsWith("\n") ? "" : newline;
  return `${content}${separator}${name}="${value}"${newline}`;
};

const findAssignments = (content: string, name: string): RegExpExecArray[] =>
  [...content.matchAll(assignmentPattern)].filter(([, , assignedName]) => assignedName === name);
