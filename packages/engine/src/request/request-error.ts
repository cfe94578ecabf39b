export interface Issue {
  /** Where in the request: `/source/type` in the body, `query/limit`, `path/id`. */
  path: string;
  message: string;
}

/** A refusal, as the API answers it. Built by `errors` only: one function for each code. */
export class RequestError extends Error {
  override readonly name = "RequestError";
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly hint?: string,
    /** What this code adds to the error body (`approvalId`, `issues`, `existingAppId`, …). */
    readonly extra: Readonly<Record<string, unknown>> = {},
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(message);
  }
}
