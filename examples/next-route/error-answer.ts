import { ApiError, ConnectionError, MgmtError } from "@mgmt/sdk";

export const badRequest = (message: string, details: object = {}): Response =>
  Response.json({ error: { code: "request:invalid", message, ...details } }, { status: 400 });

/**
 * What a caller of ours is told of a failed call of ours. 400 for what the service refuses in the caller's input, 503 for
 * what may pass, 500 for what only we can mend: that our credential is wrong is not the caller's business. What is no
 * `MgmtError` is thrown on.
 */
export const answerOf = (error: unknown): Response => {
  if (!(error instanceof MgmtError)) throw error;
  if (error instanceof ApiError && error.status === 422) {
    return badRequest("The service does not take this.", { issues: error.issues });
  }
  if (mayPass(error)) {
    const seconds = error instanceof ApiError ? error.retryAfter : undefined;
    const headers = { "retry-after": String(seconds ?? 5) };
    const body = { error: { code: "service:unavailable", message: "Try again in a moment." } };
    return Response.json(body, { status: 503, headers });
  }
  console.error(error.toString(), error.code, error.hint); // never a secret
  const body = { error: { code: "internal:error", message: "This is our fault." } };
  return Response.json(body, { status: 500 });
};

const mayPass = (error: MgmtError): boolean =>
  error instanceof ConnectionError ||
  (error instanceof ApiError && (error.status === 429 || error.status >= 500));
