import type { Failure } from "../../errors/failure.js";

/** A connection string with a password, in any of the forms in which programs accept one. */
const hasPassword = /:\/\/[^@\s]*:[^@\s]*@|(?:^|[?&;\s])["']?(?:password|passwd|pwd|psw|sslpassword)\s*=/i;

/**
 * Shortens the connection strings of the command line in the printed error: one was passed where a name, a path or a command belongs, and
 * logs keep errors.
 *
 * @param line The whole command line.
 */
export const withoutConnectionStrings = (failure: Failure, line: readonly string[]): Failure => {
  const values = line.flatMap((word) => [word, word.replace(/^--?[\w-]+=?/, "")]).filter(isSecret);
  if (values.length === 0) return failure;
  const shorten = (text: string): string =>
    values
      .flatMap((value) => [value, JSON.stringify(value).slice(1, -1)])
      .sort((left, right) => right.length - left.length)
      .reduce((rest, value) => rest.replaceAll(value, "…"), text);
  const { message, hint, next } = failure;
  return {
    ...failure,
    message: shorten(message),
    ...(hint !== undefined && { hint: shorten(hint) }),
    ...(next && { next: next.map((words) => words.map(shorten)) }),
  };
};

const isSecret = (word: string): boolean => hasPassword.test(word);
