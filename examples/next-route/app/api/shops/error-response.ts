import { ApiError, ConnectionError, MgmtError } from "@mgmt/sdk";

export const badRequest = (message: string, details: object = {}): Response =>
  Response.json({ error: { code: "request:invalid", message, ...details } }, { status: 400 });

/**
 * Turns a failed call into a response for our own caller: 400 if the service rejected the caller's input, 503 for transient
 * failures, and 500 for failures that only we can fix, such as a wrong credential, without telling the caller why. Rethrows
 * anything that is not a `MgmtError`.
 */
export const errorResponse = (error: unknown): Response => {
  if (!(error instanceof MgmtError)) throw error;
  if (error instanceof ApiError && error.status === 422) {
    return badRequest("The service rejected the input.", { issues: error.issues });
  }
  if (isTransient(error)) {
    const seconds = error instanceof ApiError ? error.retryAfter : undefined;
    const headers = { "retry-after": String(seconds ?? 5) };
    const body = { error: { code: "service:unavailable", message: "Try again in a moment." } };
    return Response.json(body, { status: 503, headers });
  }
  console.error(error.toString(), error.code, error.hint); // contains no secret
  const body = { error: { code: "internal:error", message: "Internal error." } };
  return Response.json(body, { status: 500 });
};

const isTransient = (error: MgmtError): boolean =>
  error instanceof ConnectionError ||
  (error instanceof ApiError && (error.status === 429 || error.status >= 500));
