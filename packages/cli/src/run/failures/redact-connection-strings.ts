import type { Failure } from "../../errors/failure.js";

/** A connection string with a password, in any of the forms in which programs accept one. */
const passwordPattern =
  /:\/\/[^@\s]*:[^@\s]*@|(?:^|[?&;\s])["']?(?:password|passwd|pwd|psw|sslpassword)\s*=/i;

/**
 * Shortens the connection strings of the command line in the printed error: one was passed where a name, a path or a command belongs, and
 * logs keep errors.
 *
 * @param commandLine the arguments of the whole command line.
 */
export const redactConnectionStrings = (failure: Failure, commandLine: readonly string[]): Failure => {
  const secrets = commandLine.flatMap((arg) => [arg, arg.replace(/^--?[\w-]+=?/, "")]).filter(hasPassword);
  if (secrets.length === 0) return failure;
  const redactText = (text: string): string =>
    secrets
      .flatMap((value) => [value, JSON.stringify(value).slice(1, -1)])
      .sort((left, right) => right.length - left.length)
      .reduce((redactedText, value) => redactedText.replaceAll(value, "…"), text);
  const { message, hint, next } = failure;
  return {
    ...failure,
    message: redactText(message),
    ...(hint !== undefined && { hint: redactText(hint) }),
    ...(next && { next: next.map((args) => args.map(redactText)) }),
  };
};

const hasPassword = (value: string): boolean => passwordPattern.test(value);
