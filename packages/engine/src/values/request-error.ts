export interface Issue {
  /** Place in the request: `/source/type` in the body, `query/limit`, `path/id`. */
  path: string;
  message: string;
}

/** Thrown to refuse a request with an error of the API. Only `errors` creates it, with one function for each code. */
export class RequestError extends Error {
  override readonly name = "RequestError";
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly hint?: string,
    /** Additional fields in the error body, depending on the code (`approvalId`, `issues`, `existingAppId`, …). */
    readonly extra: Readonly<Record<string, unknown>> = {},
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(message);
  }
}
