/** `ECONNREFUSED` rather than "fetch failed": the innermost code says most. */
export const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return "unknown reason";
  if (error.cause instanceof Error) return reasonOf(error.cause);
  return "code" in error && typeof error.code === "string" ? error.code : error.message;
};
