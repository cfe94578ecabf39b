/** Returns the code of an error, such as `ENOENT`; undefined if it has none that is text. */
export const readErrorCode = (error: unknown): string | undefined =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
