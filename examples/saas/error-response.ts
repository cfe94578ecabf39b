import { ApiError, ConnectionError, MgmtError, WaitError, isApiError } from "@mgmt/sdk";

/** What a caller is told. It has no message of the API, which may name ids of other customers. */
export interface ErrorResponse {
  readonly status: 409 | 422 | 500 | 502 | 503;
  readonly body: { readonly error: string; readonly requestId?: string };
  readonly headers?: Readonly<Record<string, string>>;
}

/** Returns the response for an error: 4xx if the caller can fix it, 503 if it helps to try again. */
export const errorResponseOf = (error: unknown): ErrorResponse => {
  const body = {
    error: error instanceof MgmtError ? error.code : "internal",
    ...(error instanceof ApiError && error.requestId !== undefined && { requestId: error.requestId }),
  };
  if (isApiError(error, "validation:failed")) return { status: 422, body };
  if (isApiError(error, "database:busy")) return { status: 409, body };
  if (isApiError(error, ["rate_limit:exceeded", "internal:unavailable"])) {
    return { status: 503, body, headers: { "retry-after": String(error.retryAfter ?? 1) } };
  }
  if (error instanceof ConnectionError || error instanceof WaitError) return { status: 503, body };
  return { status: error instanceof MgmtError ? 502 : 500, body };
};
