import type { Context, GlobalFlags } from "../input/context.js";
import { confirmationDeclinedError, nameNeededError, wrongNameError } from "../errors/confirmation-errors.js";
import { ask, findNoPromptReason } from "../input/ask.js";
import { confirm } from "../input/confirm.js";
import { discardTypedLines } from "../input/discard-typed-lines.js";
import { toPrintable } from "../output/printable.js";
import { findProtection } from "../profiles/protection.js";

/** What loses data or access. */
export interface ChangedResource {
  readonly id: string;
  /** Absent if it has none. */
  readonly name?: string | undefined;
}

/** A change of resources that cannot be undone. */
export interface ResourceChange {
  /** The change, after "This will". */
  readonly action: string;
  readonly resources: readonly ChangedResource[];
  /** Why nothing can be asked, beside the reasons that hold for every command. */
  readonly noPromptReason?: string | undefined;
}

/** Whether the flags confirm every change, so that nobody has to be asked. */
export const isConfirmedByFlag = (flags: GlobalFlags, context: Pick<Context, "env" | "cwd">): boolean =>
  flags.yes === true && flags.confirm === undefined && findProtection(flags, context) === undefined;

/**
 * Asks before resources are changed in a way that cannot be undone. Every command that deletes, restores, rotates, or overwrites calls
 * this. A yes is enough, on a terminal or with `--yes`, unless the folder or the profile is protected: then the name of the resource must
 * be typed, or passed with `--confirm`.
 *
 * @throws `confirmation:needed`, `confirmation:declined`, and `confirmation:wrong_name`.
 */
export const confirmResourceChange = async (
  { action, resources, noPromptReason }: ResourceChange,
  flags: GlobalFlags,
  context: Context,
): Promise<void> => {
  if (isConfirmedByFlag(flags, context)) return;
  const expectedTexts = listExpectedTexts(resources);
  if (flags.confirm !== undefined) return assertNameMatches(flags.confirm, expectedTexts, action);
  const protection = findProtection(flags, context);
  if (protection === undefined) return confirm(action, context, noPromptReason);
  const reason = noPromptReason ?? findNoPromptReason(context);
  if (reason !== undefined) throw nameNeededError(action, protection, reason);
  await context.output.usedSettings.announce();
  context.output.notice({
    code: "confirmation:protected",
    message: `This will ${action}. ${protection} protects it.`,
    from: protection,
  });
  await askForName(expectedTexts, context);
};

/** Asks for the name of a resource, and compares what is typed. Throws `confirmation:declined`. */
export const askForName = async (
  [expectedText = "yes", ...otherTexts]: readonly string[],
  context: Context,
): Promise<void> => {
  const message = `Type ${toPrintable(expectedText)} to confirm:`;
  const typedText = await ask(context, async ({ input }, terminal) => {
    await discardTypedLines(terminal.input);
    return input({ message }, terminal);
  });
  if (!matches(typedText.trim(), [expectedText, ...otherTexts])) throw confirmationDeclinedError();
};

/** Throws `confirmation:wrong_name` unless `--confirm` names the resource. */
export const assertNameMatches = (name: string, expectedTexts: readonly string[], action: string): void => {
  if (!matches(name, expectedTexts)) throw wrongNameError(name, action);
};

/** Returns the texts that confirm a change, the best first: the name and the id of one resource, or the number of several. */
export const listExpectedTexts = (resources: readonly ChangedResource[]): string[] => {
  const [resource] = resources;
  if (resources.length !== 1 || !resource) return [String(resources.length)];
  const { name, id } = resource;
  if (name === undefined) return [id];
  return isTypable(name) ? [name, id] : [id, name];
};

/** Systems differ in how they compose letters with accents. */
const matches = (text: string, expectedTexts: readonly string[]): boolean =>
  expectedTexts.some((expectedText) => expectedText.normalize() === text.normalize());

/** Whether a name can be typed as it is printed. */
const isTypable = (name: string): boolean =>
  name.length <= 64 && /^[\p{L}\p{N}\p{P}\p{S}]+( [\p{L}\p{N}\p{P}\p{S}]+)*$/u.test(name);
