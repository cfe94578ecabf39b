import type { Context } from "../context/context.js";
import { commitRisk } from "./commit-risk.js";
import { wants } from "../input/wants.js";
import { addToGitignore } from "../files/gitignore.js";

/** A file that git should ignore, and the line of .gitignore for it. */
export interface Ignorable {
  readonly path: string;
  readonly line: string;
}

/**
 * Adds lines to the .gitignore of the working directory for files that git neither ignores nor tracks. Returns those that were added.
 *
 * @param given Whether to do so. Undefined asks on a terminal, and is yes elsewhere.
 */
export const ignoreInGit = async (
  files: readonly Ignorable[],
  given: boolean | undefined,
  context: Context,
): Promise<string[]> => {
  const { cwd, output } = context;
  const checked = await Promise.all(
    files.map(async ({ path, line }) => ((await commitRisk(path, context)) === "not_ignored" ? [line] : [])),
  );
  const lines = checked.flat();
  if (lines.length === 0 || !(await wants(given, `Add ${lines.join(" and ")} to .gitignore?`, context))) {
    return [];
  }
  const added = await addToGitignore(lines, cwd);
  if (added.length > 0) output.info(`Added ${added.join(" and ")} to .gitignore.`);
  return added;
};
