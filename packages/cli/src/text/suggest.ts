import { countTypingErrors } from "@mgmt/internal/text/typing-errors";

/**
 * Returns up to three candidates that are similar to a word, the most similar first: those with few typing errors, and those that begin with
 * the word. Whether letters are uppercase or lowercase makes no difference.
 */
export const findSimilar = (word: string, candidates: readonly string[]): string[] => {
  const maxErrorCount = Math.min(3, Math.max(1, Math.floor(word.length * 0.4)));
  const lowercaseWord = word.toLowerCase();
  return [...new Set(candidates)]
    .map((candidate) => {
      const lowercaseCandidate = candidate.toLowerCase();
      const isLongerForm = word.length > 2 && lowercaseCandidate.startsWith(lowercaseWord);
      // Letters that are missing are errors, too. To count them takes long in a long word.
      const isTooDifferent = !isLongerForm && Math.abs(word.length - candidate.length) > maxErrorCount;
      const errorCount = isTooDifferent ? Infinity : countTypingErrors(lowercaseWord, lowercaseCandidate);
      return { candidate, isLongerForm, errorCount };
    })
    .filter(({ isLongerForm, errorCount }) => errorCount <= maxErrorCount || isLongerForm)
    .sort((left, right) => left.errorCount - right.errorCount)
    .map(({ candidate }) => candidate)
    .slice(0, 3);
};

/**
 * Returns a question for the hint of an error, `Did you mean …? ` with a space at the end.
 *
 * @param word the value that is not allowed.
 * @returns an empty string if none of the allowed values is similar, or the word is too short to compare.
 */
export const formatSuggestion = (word: string, allowedValues: readonly string[]): string => {
  // Any two words with one or two letters would be similar.
  const similarValues = word.length > 2 ? findSimilar(word, allowedValues) : [];
  return similarValues.length > 0 ? `Did you mean ${similarValues.join(" or ")}? ` : "";
};

/** The names that other programs have for our commands. */
const synonymsByCommand: Readonly<Record<string, readonly string[]>> = {
  get: ["show", "describe", "view", "info", "inspect", "read", "display"],
  list: ["ls", "all", "index"],
  delete: ["rm", "remove", "destroy", "del", "drop", "erase"],
  create: ["new", "add", "make", "insert"],
  update: ["edit", "set", "modify", "change", "patch", "rename"],
  login: ["signin", "sign-in", "log-in"],
  logout: ["signout", "sign-out", "log-out"],
};

/** Returns the commands, of those with these names, that other programs call by this word. */
export const findCommandsForSynonym = (word: string, commandNames: readonly string[]): string[] =>
  commandNames.filter(
    (name) => Object.hasOwn(synonymsByCommand, name) && synonymsByCommand[name]?.includes(word),
  );
