/**
 * Returns the code of an error, such as `ENOENT`; undefined if it has none that is text. In contrast to `error-code.ts`, the error may be
 * from another realm: under Jest, system errors are not instances of the `Error` that modules see.
 */
export const readErrorCode = (error: unknown): string | undefined =>
  Object.prototype.toString.call(error) === "[object Error]" &&
  typeof error === "object" &&
  error !== null &&
  "code" in error &&
  typeof error.code === "string"
    ? error.code
    : undefined;
