import { randomUUID } from "node:crypto";
import { chmod, readFile, realpath, rename, rm, stat, writeFile } from "node:fs/promises";
import { causeText, CliError } from "../../errors/cli-error.js";
import { unwritableEnvFile } from "../../errors/database-errors.js";

/**
 * Sets a variable in an env file, which is created for this user only if it does not exist. Every other byte is unchanged,
 * and the file is replaced as a whole. Returns whether it changed. Throws `env:unwritable`.
 */
export const setVariable = async (path: string, name: string, value: string): Promise<boolean> => {
  let temporary: string | undefined;
  try {
    // A symbolic link stays one: its target is replaced.
    const file = await realpath(path).catch(() => path);
    const found = await stat(file).catch(() => undefined);
    // Reading a device may never end, and replacing it would break other programs.
    if (found && !found.isFile()) throw unwritableEnvFile(path, "it is not a regular file");
    const mode = found ? found.mode & 0o777 : 0o600;
    const before = await readFile(file, "latin1").catch((error: unknown) => {
      if (error instanceof Error && "code" in error && error.code === "ENOENT") return "";
      throw error;
    });
    const after = withVariable(before, name, value);
    if (after === before) return false;
    temporary = `${file}.${randomUUID()}.part`;
    await writeFile(temporary, after, { encoding: "latin1", mode: 0o600, flag: "wx" });
    await chmod(temporary, mode);
    await rename(temporary, file);
    return true;
  } catch (error) {
    if (temporary !== undefined) await rm(temporary, { force: true }).catch(() => undefined);
    throw error instanceof CliError ? error : unwritableEnvFile(path, causeText(error));
  }
};

/**
 * Returns the text of an env file with a variable set. The text may be in any encoding that contains ASCII, so it is read
 * as Latin-1, which keeps every byte. Of several assignments the last is replaced, which is the one that counts.
 */
export const withVariable = (text: string, name: string, value: string): string => {
  const assignment = new RegExp(
    String.raw`^([ \t]*(?:export[ \t]+)?${name}[ \t]*=[ \t]*)("(?:[^"\\]|\\[^])*"|'[^']*'|[^\r\n]*?(?=[ \t]+#|[ \t]*\r?$))`,
    "gm",
  );
  const last = [...text.matchAll(assignment)].at(-1);
  if (last) {
    const [whole, start = ""] = last;
    return `${text.slice(0, last.index)}${start}"${value}"${text.slice(last.index + whole.length)}`;
  }
  const newline = text.includes("\r\n") ? "\r\n" : "\n";
  const separator = text === "" || text.endsWith("\n") ? "" : newline;
  return `${text}${separator}${name}="${value}"${newline}`;
};
