/** Returns the error that an aborted call throws: the signal's reason, or an `AbortError` whose `cause` is a reason that is not an error. */
export const abortError = (reason: unknown): Error =>
  reason instanceof Error
    ? reason
    : Object.assign(new Error("The operation was aborted", { cause: reason }), { name: "AbortError" });
