import { CliError, causeText } from "../errors/cli-error.js";
import {
  linkedEnvFile,
  openQuoteInEnvFile,
  undecodableEnvFile,
  unwritableEnvFile,
} from "../errors/database-errors.js";
import { asciiBased } from "./ascii-based.js";
import { LinkedPathError } from "../files/pinned-folder.js";
import { type Replaced, replaceFile } from "../files/replace-file.js";

/** The result of setting a variable in an env file. */
export interface VariableSet extends Replaced {
  /** How many lines set the variable now. */
  readonly assignments: number;
}

/**
 * Sets a variable in an env file, which is created for this user only if it does not exist. Every other byte is unchanged,
 * and the file is replaced as a whole. No symbolic link is followed.
 *
 * @param root The folder that the user is in.
 * @throws `env:unwritable`, and `env:invalid` if a quote has no end: programs would read what is written behind it differently.
 */
export const setVariable = async (
  path: string,
  name: string,
  value: string,
  root: string,
): Promise<VariableSet> => {
  let assignments = 1;
  try {
    const replaced = await replaceFile(path, { root }, (before) => {
      const text = asciiBased(before);
      if (text === undefined) throw undecodableEnvFile(path);
      const line = lineOfOpenQuote(text);
      if (line !== undefined) throw openQuoteInEnvFile(path, line);
      assignments = Math.max(1, assignmentsOf(text, name).length);
      return Buffer.from(withVariable(text, name, value), "latin1");
    });
    return { ...replaced, assignments };
  } catch (error) {
    if (error instanceof CliError) throw error;
    throw error instanceof LinkedPathError
      ? linkedEnvFile(path, error.message)
      : unwritableEnvFile(path, causeText(error));
  }
};

/** The characters that may follow a quoted value. */
const lineEnd = String.raw`(?=[ \t]*(?:#[^\r\n]*)?$)`;
/** In the second form, a backslash before the last quote is an ordinary character, as in a path of Windows. */
const quoted = String.raw`(?:"(?:[^"\\]|\\[^])*"|"[^"]*"|'[^']*'|${"`[^`]*`"})${lineEnd}`;
const unquoted = String.raw`[^\r\n]*?(?=[ \t]+#|[ \t]*\r?$)`;
/** Every assignment, so that the lines in the quoted value of another variable are passed over. */
const anyAssignment = new RegExp(
  String.raw`^([ \t]*(?:export[ \t]+)?([^\s=#]+)[ \t]*=[ \t]*)(?:${quoted}|${unquoted})`,
  "gm",
);

/** Returns the number of the line with a value whose quote has no end; undefined if there is none. */
export const lineOfOpenQuote = (text: string): number | undefined => {
  const open = [...text.matchAll(anyAssignment)].find(({ 0: whole, 1: start = "", index }) => {
    const value = whole.slice(start.length);
    const quote = /^["'`]/.exec(value)?.[0];
    if (quote === undefined || (value.length > 1 && value.endsWith(quote))) return false;
    const line = /^[^\r\n]*/.exec(text.slice(index + start.length))?.[0] ?? "";
    return !(quote === '"' ? line.replaceAll(/\\./g, "") : line).includes(quote, 1);
  });
  return open && text.slice(0, open.index).split("\n").length;
};

/**
 * Returns the text of an env file with a variable set, given the text as `asciiBased` reads it. Every assignment of the variable is
 * replaced, because some programs use the first, and others the last.
 */
export const withVariable = (text: string, name: string, value: string): string => {
  const assignments = assignmentsOf(text, name);
  if (assignments.length > 0) {
    return assignments.reduceRight(
      (after, { index, 0: whole, 1: start = "" }) =>
        `${after.slice(0, index)}${start}"${value}"${after.slice(index + whole.length)}`,
      text,
    );
  }
  const newline = text.includes("\r\n") ? "\r\n" : "\n";
  const separator = text === "" || text.endsWith("\n") ? "" : newline;
  return `${text}${separator}${name}="${value}"${newline}`;
};

const assignmentsOf = (text: string, name: string): RegExpExecArray[] =>
  [...text.matchAll(anyAssignment)].filter(([, , assigned]) => assigned === name);
