import { countTypingErrors } from "@mgmt/internal/text/typing-errors";

/** Returns up to three candidates that were probably meant, best first. */
export const findSimilar = (word: string, candidates: readonly string[]): string[] => {
  const maxErrorCount = Math.min(3, Math.max(1, Math.floor(word.length * 0.4)));
  return [...new Set(candidates)]
    .map((candidate) => ({ candidate, errorCount: countTypingErrors(word.toLowerCase(), candidate) }))
    .filter(
      ({ candidate, errorCount }) =>
        errorCount <= maxErrorCount || (word.length > 2 && candidate.startsWith(word)),
    )
    .sort((left, right) => left.errorCount - right.errorCount)
    .map(({ candidate }) => candidate)
    .slice(0, 3);
};

/** Returns `Did you mean …? ` for a value that is not allowed, or an empty string if none of the allowed ones is similar. */
export const formatSuggestion = (word: string, allowedValues: readonly string[]): string => {
  // Any two words with one or two letters are similar.
  const similarValues = word.length > 2 ? findSimilar(word, allowedValues) : [];
  return similarValues.length > 0 ? `Did you mean ${similarValues.join(" or ")}? ` : "";
};

/** Names of a command in other programs. */
const synonymsByCommand: Readonly<Record<string, readonly string[]>> = {
  get: ["show", "describe", "view", "info", "inspect", "read", "display"],
  list: ["ls", "all", "index"],
  delete: ["rm", "remove", "destroy", "del", "drop", "erase"],
  create: ["new", "add", "make", "insert"],
  update: ["edit", "set", "modify", "change", "patch", "rename"],
  login: ["signin", "sign-in", "log-in"],
  logout: ["signout", "sign-out", "log-out"],
};

/** Returns which of the known commands a word of another program means. */
export const findCommandsForSynonym = (word: string, commandNames: readonly string[]): string[] =>
  commandNames.filter(
    (name) => Object.hasOwn(synonymsByCommand, name) && synonymsByCommand[name]?.includes(word),
  );
