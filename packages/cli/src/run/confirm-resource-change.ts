import { capitalize } from "@mgmt/internal/text/capitalize";
import type { Context, GlobalFlags } from "../input/context.js";
import {
  confirmationDeclinedError,
  confirmationNeededError,
  nameDeclinedError,
  nameNeededError,
  wrongNameError,
} from "../errors/confirmation-errors.js";
import { ask, getNonInteractiveReason } from "../input/ask.js";
import { confirm } from "../input/confirm.js";
import { discardTypedLines } from "../input/discard-typed-lines.js";
import { toPrintable } from "../output/printable.js";
import { findProtection, isConfirmedByFlag } from "../profiles/protection.js";

/** The resource that loses data or access. */
export interface ChangedResource {
  readonly id: string;
  /** Absent if it has none. */
  readonly name?: string | undefined;
}

/** An irreversible change of resources. */
export interface ResourceChange<Resource extends ChangedResource> {
  /** The change, after "This will". */
  readonly action: string;
  /** A function is called only if a person is asked or `--confirm` has a name. If it returns nothing, nobody is asked. */
  readonly resources: readonly Resource[] | (() => Promise<readonly Resource[]>);
  /** Returns lines about what is changed, which a person reads before the question. Default: none. */
  readonly renderResources?: (resources: readonly Resource[]) => readonly string[];
  /** Whether the resources are deleted, so that a person types the name also where nothing is protected. Default: false. */
  readonly isDelete?: boolean;
  /** Why the command cannot prompt, besides the reasons that hold for every command. */
  readonly noPromptReason?: string | undefined;
}

/**
 * Asks before an irreversible change of resources. Every command that deletes, restores, rotates, or overwrites calls
 * this. A yes is enough, on a terminal or with `--yes`, unless the folder or the profile is protected: then the name of the resource must
 * be typed, or passed with `--confirm`, and the question contains what protects it.
 *
 * @throws `confirmation:needed`, `confirmation:declined`, and `confirmation:wrong_name`.
 */
export const confirmResourceChange = async <Resource extends ChangedResource>(
  { action, resources, renderResources, isDelete = false, noPromptReason }: ResourceChange<Resource>,
  flags: GlobalFlags,
  context: Context,
): Promise<void> => {
  if (isConfirmedByFlag(flags, context)) return;
  const protection = findProtection(flags, context);
  const reason = noPromptReason ?? getNonInteractiveReason(context);
  if (reason !== undefined && flags.confirm === undefined)
    throw protection === undefined
      ? confirmationNeededError(action, reason)
      : nameNeededError(action, protection, reason);
  const asksForName = isDelete || protection !== undefined;
  if (flags.confirm === undefined && !asksForName && !renderResources) return confirm(action, context);
  const changedResources = typeof resources === "function" ? await resources() : resources;
  if (changedResources.length === 0) return;
  const expectedTexts = listExpectedTexts(changedResources, isDelete);
  if (flags.confirm !== undefined) return assertNameMatches(flags.confirm, expectedTexts, action);
  await context.output.implicitSettings.announceForChange();
  if (renderResources) {
    const affected = renderResources(changedResources);
    context.output.notice(
      { code: "confirmation:affected", message: affected.join("\n"), affected },
      { multiline: true },
    );
  }
  if (!asksForName) return confirm(action, context);
  if (protection !== undefined)
    context.output.notice({
      code: "confirmation:protected",
      message: `${renderResources && isDelete ? "" : `This will ${action}. `}${capitalize(protection)} protects it, so a yes is not enough.`,
      from: protection,
    });
  await askForName(expectedTexts, protection !== undefined, context);
};

/** Asks for the name of a resource, and compares what is typed. Throws `confirmation:declined`. */
const askForName = async (
  [expectedText = "yes", ...otherTexts]: readonly string[],
  isProtected: boolean,
  context: Context,
): Promise<void> => {
  const message = `Type ${toPrintable(expectedText)} to confirm:`;
  const enteredText = await ask(context, async ({ input }, terminal) => {
    await discardTypedLines(terminal.input);
    return input({ message }, terminal);
  });
  if (!matches(enteredText.trim(), [expectedText, ...otherTexts]))
    throw isProtected ? nameDeclinedError(expectedText) : confirmationDeclinedError();
};

/** Throws `confirmation:wrong_name` unless `--confirm` names the resource. */
const assertNameMatches = (name: string, expectedTexts: readonly string[], action: string): void => {
  if (!matches(name, expectedTexts)) throw wrongNameError(name, action);
};

/** Returns the texts that confirm a change, the best first: the name and the id of one resource, or the number of several. */
const listExpectedTexts = (resources: readonly ChangedResource[], isDelete: boolean): string[] => {
  const [resource] = resources;
  const count = String(resources.length);
  if (resources.length !== 1 || !resource) return isDelete ? [`delete ${count}`, count] : [count];
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
