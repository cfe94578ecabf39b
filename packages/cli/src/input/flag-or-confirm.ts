import type { Context } from "./context.js";
import { ask, findNoPromptReason } from "./ask.js";
import { discardTypedLines } from "./discard-typed-lines.js";

/** Returns what a flag says, else what a person answers to a question whose usual answer is yes, else yes. */
export const resolveFlagOrConfirm = async (
  flagValue: boolean | undefined,
  message: string,
  context: Context,
): Promise<boolean> => {
  if (flagValue !== undefined) return flagValue;
  if (findNoPromptReason(context) !== undefined) return true;
  return ask(context, async (prompts, terminal) => {
    await discardTypedLines(terminal.input);
    return prompts.confirm({ message, default: true }, terminal);
  });
};
