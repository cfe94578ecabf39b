import { join } from "node:path";
import { unwritableGitignore } from "../errors/storage-errors.js";
import { asciiBased } from "./ascii-based.js";
import { replaceFile } from "./replace-file.js";

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
