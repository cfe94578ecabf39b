import { join } from "node:path";
import type { Context } from "../input/context.js";
import { unwritableGitignore } from "../errors/storage-errors.js";
import { asciiBased } from "./ascii-based.js";
import { replaceFile } from "../files/replace-file.js";
import { flagOrConfirm } from "../input/flag-or-confirm.js";
import { commitRisk } from "../git/commit-risk.js";

/** A file that git should ignore, and the line of .gitignore for it. */
export interface Ignorable {
  readonly path: string;
  readonly line: string;
}

/**
 * Adds lines to the .gitignore of the working directory for files that git neither ignores nor tracks. Returns those that were added.
 *
 * @param isIgnored Whether to do so. Undefined asks on a terminal, and is yes elsewhere.
 */
export const ignoreInGit = async (
  files: readonly Ignorable[],
  isIgnored: boolean | undefined,
  context: Context,
): Promise<string[]> => {
  const { cwd, output } = context;
  const checked = await Promise.all(
    files.map(async ({ path, line }) => ((await commitRisk(path, context)) === "not_ignored" ? [line] : [])),
  );
  const lines = checked.flat();
  if (
    lines.length === 0 ||
    !(await flagOrConfirm(isIgnored, `Add ${lines.join(" and ")} to .gitignore?`, context))
  ) {
    return [];
  }
  const added = await addToGitignore(lines, cwd);
  if (added.length > 0) output.info(`Added ${added.join(" and ")} to .gitignore.`);
  return added;
};

/**
 * Adds lines to the .gitignore of a folder, which is created if it does not exist. Returns those that it did not have. Throws
 * `gitignore:unwritable`.
 */
export const addToGitignore = async (lines: readonly string[], folder: string): Promise<string[]> => {
  const file = join(folder, ".gitignore");
  let added: string[] = [];
  const withLines = (before: Buffer | undefined): Buffer => {
    const text = asciiBased(before);
    if (text === undefined) throw new Error("it is UTF-16, or not a text");
    const newline = text.includes("\r\n") ? "\r\n" : "\n";
    const present = new Set(text.split(/\r?\n/).map((line) => line.trim()));
    added = lines.filter((line) => !present.has(line));
    const separator = text === "" || text.endsWith("\n") || added.length === 0 ? "" : newline;
    const more = added.map((line) => `${line}${newline}`).join("");
    return Buffer.from(`${text}${separator}${more}`, "latin1");
  };
  try {
    await replaceFile(file, { root: folder, newMode: 0o644 }, withLines);
  } catch (error) {
    throw unwritableGitignore(file, error);
  }
  return added;
};
