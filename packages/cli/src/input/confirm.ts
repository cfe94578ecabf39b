import type { Context } from "./context.js";
import { confirmationNeeded, declined } from "../errors/run-errors.js";
import { printable } from "../output/printable.js";
import { ask, whyNotAsked } from "./ask.js";
import { discardTypedLines } from "./discard-typed-lines.js";

/**
 * Asks for confirmation of something that cannot be undone. Only a typed yes at a terminal confirms. Everywhere else the
 * command needs `--yes`, so that it neither hangs in CI nor confirms itself.
 */
export const confirm = async (what: string, context: Context): Promise<void> => {
  const reason = whyNotAsked(context);
  if (reason !== undefined) throw confirmationNeeded(what, reason);
  const message = `This will ${printable(what)}. Continue?`;
  const agreed = await ask(context, async (prompts, terminal) => {
    await discardTypedLines(terminal.input);
    return prompts.confirm({ message, default: false }, terminal);
  });
  if (!agreed) throw declined();
};
