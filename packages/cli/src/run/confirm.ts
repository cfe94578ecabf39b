import { confirmationNeeded, declined, interrupted } from "../errors.js";
import type { Context } from "./context.js";

/**
 * Asks before something that cannot be undone. Only a person at a terminal is asked, and only a typed yes is one:
 * everywhere else `--yes` says it, so that nothing hangs in CI and no question answers itself.
 */
export const confirm = async (what: string, context: Context): Promise<void> => {
  const { stdin, stderr, env, sources, signal } = context;
  const atTerminal = stdin.isTTY && stderr.isTTY && !sources.readsStdin && !env["CI"];
  if (!atTerminal) throw confirmationNeeded(what);
  const prompts = await import("@inquirer/prompts");
  try {
    const message = `This will ${what}. Go on?`;
    // Standard output stays free for the answer.
    const agreed = await prompts.confirm(
      { message, default: false },
      { input: stdin, output: stderr, signal },
    );
    if (!agreed) throw declined();
  } catch (error) {
    if (error instanceof Error && error.name === "ExitPromptError") throw interrupted();
    signal.throwIfAborted();
    throw error;
  }
};
