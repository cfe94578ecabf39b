import { basename } from "node:path";
import type { Context } from "../input/context.js";
import { quoteShellWord } from "../text/shell-word.js";
import { findCommitRisk } from "../git/commit-risk.js";
import { warnAboutReaders } from "../secrets/warn-about-readers.js";
import { setEnvFileVariable } from "./env-file.js";

/** Sets a variable in an env file. Reports whether it had another value, and warns if others can read it. Returns whether it changed. */
export const writeVariable = async (
  { path, name, url }: { readonly path: string; readonly name: string; readonly url: string },
  context: Context,
): Promise<boolean> => {
  const { hasChanged, mode, assignmentCount } = await setEnvFileVariable(path, name, url, context.cwd);
  await warnAboutReaders(path, mode, context);
  await warnAboutCommit(path, context);
  const suffix = assignmentCount > 1 ? `, on each of the ${String(assignmentCount)} lines that set it` : "";
  context.output.info(
    hasChanged ? `Wrote ${name} to ${path}${suffix}.` : `${path} already has this ${name}${suffix}.`,
  );
  return hasChanged;
};

/** Warns if everyone who clones the repository could read the password. */
const warnAboutCommit = async (path: string, context: Context): Promise<void> => {
  const risk = await findCommitRisk(path, context);
  if (!risk) return;
  const message =
    risk === "tracked"
      ? `git tracks ${path}, so that its password may be committed. Run: git rm --cached ${quoteShellWord(path)}. ` +
        `Then add ${basename(path)} to .gitignore unless it is there already.`
      : `git does not ignore ${path}, so that its password may be committed. Add ${basename(path)} to .gitignore.`;
  await context.output.warn({ code: "env:tracked", message, file: path });
};
