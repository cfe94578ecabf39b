import { join } from "node:path";
import type { Context } from "../input/context.js";
import { unwritableGitignoreError } from "../errors/storage-errors.js";
import { decodeAsciiBased } from "./ascii-based.js";
import { replaceFile } from "../files/replace-file.js";
import { resolveFlagOrConfirm } from "../input/flag-or-confirm.js";
import { findCommitRisk } from "../git/commit-risk.js";

/** A file that git should ignore, and the line of .gitignore for it. */
export interface IgnorableFile {
  readonly path: string;
  readonly line: string;
}

/**
 * Adds lines to the .gitignore of the working directory for files that git neither ignores nor tracks. Returns those that were added.
 *
 * @param shouldIgnore whether to do so. Undefined asks on a terminal, and is yes elsewhere.
 */
export const ignoreInGit = async (
  files: readonly IgnorableFile[],
  shouldIgnore: boolean | undefined,
  context: Context,
): Promise<string[]> => {
  const { cwd, output } = context;
  const linesByFile = await Promise.all(
    files.map(async ({ path, line }) =>
      (await findCommitRisk(path, context)) === "not_ignored" ? [line] : [],
    ),
  );
  const lines = linesByFile.flat();
  if (
    lines.length === 0 ||
    !(await resolveFlagOrConfirm(shouldIgnore, `Add ${lines.join(" and ")} to .gitignore?`, context))
  ) {
    return [];
  }
  const addedLines = await addToGitignore(lines, cwd);
  if (addedLines.length > 0) output.info(`Added ${addedLines.join(" and ")} to .gitignore.`);
  return addedLines;
};

/**
 * Adds lines to the .gitignore of a folder, which is created if it does not exist. Returns those that it did not have. Throws
 * `gitignore:unwritable`.
 */
export const addToGitignore = async (lines: readonly string[], folder: string): Promise<string[]> => {
  const path = join(folder, ".gitignore");
  let addedLines: string[] = [];
  const appendLines = (currentContent: Buffer | undefined): Buffer => {
    const content = decodeAsciiBased(currentContent);
    if (content === undefined) throw new Error("it is UTF-16, or not text");
    const newline = content.includes("\r\n") ? "\r\n" : "\n";
    const presentLines = new Set(content.split(/\r?\n/).map((line) => line.trim()));
    addedLines = lines.filter((line) => !presentLines.has(line));
    const separator = content === "" || content.endsWith("\n") || addedLines.length === 0 ? "" : newline;
    const appendedText = addedLines.map((line) => `${line}${newline}`).join("");
    return Buffer.from(`${content}${separator}${appendedText}`, "latin1");
  };
  try {
    await replaceFile(path, { root: folder, newMode: 0o644 }, appendLines);
  } catch (error) {
    throw unwritableGitignoreError(path, error);
  }
  return addedLines;
};
