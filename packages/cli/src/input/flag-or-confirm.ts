import type { Context } from "./context.js";
import { ask, getNonInteractiveReason } from "./ask.js";
import { discardTypedLines } from "./discard-typed-lines.js";

/** Returns the value of a flag if it is set. Otherwise asks the user, with yes as the default. Returns true if no one can be asked. */
export const resolveFlagOrConfirm = async (
  flagValue: boolean | undefined,
  message: string,
  context: Context,
): Promise<boolean> => {
  if (flagValue !== undefined) return flagValue;
  if (getNonInteractiveReason(context) !== undefined) return true;
  return ask(context, async (prompts, terminal) => {
    await discardTypedLines(terminal.input);
    return prompts.confirm({ message, default: true }, terminal);
  });
};
