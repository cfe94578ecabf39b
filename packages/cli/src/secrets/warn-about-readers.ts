import type { Context } from "../input/context.js";
import { quoteShellWord } from "../text/shell-word.js";

/**
 * Warns if other accounts may be able to read a file that is for this user only. Its mode stays as it is, because it may be shared on
 * purpose: with the group of a server, for example.
 */
export const warnAboutReaders = async (
  path: string,
  mode: number,
  { output }: Pick<Context, "output">,
  code = "env:open_mode",
): Promise<void> => {
  if (process.platform === "win32" || (mode & 0o077) === 0) return;
  const octalMode = mode.toString(8).padStart(3, "0");
  const message = `Other accounts may be able to read ${path}, whose mode is ${octalMode}. Unless they should, run: chmod 600 ${quoteShellWord(path)}`;
  await output.warn({ code, message, file: path, mode: octalMode });
};
