import type { Context } from "./context.js";
import { confirmationNeededError, confirmationDeclinedError } from "../errors/confirmation-errors.js";
import { toPrintable } from "../output/printable.js";
import { ask, getNonInteractiveReason } from "./ask.js";
import { discardTypedLines } from "./discard-typed-lines.js";

/**
 * Asks for confirmation of something that cannot be undone. Only a typed yes at a terminal confirms. Everywhere else the
 * command needs `--yes`, so that it neither hangs in CI nor confirms itself. `confirmResourceChange` is for resources of the service.
 *
 * @param noPromptReason why the command cannot prompt, besides the reasons that hold for every command.
 */
export const confirm = async (action: string, context: Context, noPromptReason?: string): Promise<void> => {
  const reason = noPromptReason ?? getNonInteractiveReason(context);
  if (reason !== undefined) throw confirmationNeededError(action, reason);
  await context.output.implicitSettings.announceForChange();
  const message = `This will ${toPrintable(action)}. Continue?`;
  const hasAgreed = await ask(context, async (prompts, terminal) => {
    await discardTypedLines(terminal.input);
    return prompts.confirm({ message, default: false }, terminal);
  });
  if (!hasAgreed) throw confirmationDeclinedError();
};
