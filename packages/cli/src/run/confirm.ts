import { confirmationNeeded, declined } from "../errors.js";
import { ask, isAtTerminal } from "./ask.js";
import type { Context } from "./context.js";

/**
 * Asks before something that cannot be undone. Only a person at a terminal is asked, and only a typed yes is one:
 * everywhere else `--yes` says it, so that nothing hangs in CI and no question answers itself.
 */
export const confirm = async (what: string, context: Context): Promise<void> => {
  const { env, sources } = context;
  if (!isAtTerminal(context) || sources.readsStdin || env["CI"]) throw confirmationNeeded(what);
  const message = `This will ${what}. Go on?`;
  const agreed = await ask(context, (prompts, terminal) =>
    prompts.confirm({ message, default: false }, terminal),
  );
  if (!agreed) throw declined();
};
