import type { Option } from "commander";
import { usageError } from "../../errors/usage-errors.js";

/**
 * Refuses a long flag with a single dash, as Terraform has them. Commander reads `-out=plan.json` as `-o` with the value
 * `ut=plan.json`. Words after `--` are not flags, and neither are values of flags.
 */
export const refuseSingleDash = (words: readonly string[], options: readonly Option[]): void => {
  for (const [index, word] of words.entries()) {
    if (word === "--") return;
    const [, name] = /^-([a-z][a-z-]+)(?:=|$)/.exec(word) ?? [];
    const isMeant = options.some(({ long, hidden }) => !hidden && long === `--${name ?? ""}`);
    if (isMeant && !isValue(words[index - 1], options)) {
      throw usageError(`Unknown option '-${name ?? ""}'`, `Did you mean --${name ?? ""}?`);
    }
  }
};

/** Whether a word is the value of the flag before it. */
const isValue = (before: string | undefined, options: readonly Option[]): boolean =>
  options.some(
    ({ long, short, required }) => required && before !== undefined && [long, short].includes(before),
  );
