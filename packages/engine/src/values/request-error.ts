/** A rule of the contract that a request breaks. */
export interface Issue {
  /** Place in the request: `/source/type` in the body, `query/limit`, `path/id`. */
  path: string;
  /** What is wrong, as the end of a sentence that begins with the place: `is required`. */
  message: string;
}

/** The parts of the response to a request that is rejected. */
export interface RequestErrorParts {
  /** HTTP status, from 400 to 599. */
  readonly status: number;
  /** Error code, such as `project:not_found`. */
  readonly code: string;
  readonly message: string;
  /** What the caller can do. */
  readonly hint?: string;
  /** Fields of the error body that only this code has, such as `approvalId`, `issues`, or `existingAppId`. Default: none. */
  readonly extra?: Readonly<Record<string, unknown>>;
  /** Headers of this response, in addition to the headers of every response. Default: none. */
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * Thrown to reject a request with an error of the API. `errors` has a function for each code of the contract; only an installed fault can
 * have another code.
 */
export class RequestError extends Error {
  override readonly name = "RequestError";
  readonly status: number;
  readonly code: string;
  readonly hint?: string | undefined;
  readonly extra: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;

  constructor({ status, code, message, hint, extra = {}, headers = {} }: RequestErrorParts) {
    super(message);
    this.status = status;
    this.code = code;
    this.hint = hint;
    this.extra = extra;
    this.headers = headers;
  }
}
