import type { ValidationIssue } from "../generated/types.js";
import { type Advice, MgmtError } from "./mgmt-error.js";

/** Constructor argument of `ApiError`. */
export interface ApiErrorInit {
  status: number;
  code: string;
  message: string;
  hint?: string | undefined;
  advice?: Advice | undefined;
  requestId?: string | undefined;
  issues?: ValidationIssue[] | undefined;
  retryAfter?: number | undefined;
  /** Default: none. */
  headers?: Readonly<Record<string, string>> | undefined;
  method: string;
  path: string;
  /** The body's `error` object. Each class copies the fields that its code adds. */
  details: Record<string, unknown>;
}

/** Returns the class name of a kind: `AppAlreadyExistsError` for the code `app:already_exists`; other kinds are class names. */
export const formatClassName = (kind: string): string => {
  if (/[A-Z]/.test(kind)) return kind;
  const name = kind.replace(/(?:^|[^a-z0-9]+)([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
  return name.endsWith("Error") ? name : `${name}Error`;
};

/**
 * The service responded with an error, or with a body that does not match the contract. Every status of the contract has a subclass, and
 * every code a subclass of that; an unknown code falls back to the class of its status.
 */
export class ApiError extends MgmtError {
  static override readonly kind: string = "ApiError";
  /** `AppAlreadyExistsError` for the code `app:already_exists`. Other kinds are class names. */
  static override get className(): string {
    return formatClassName(this.kind);
  }
  /** HTTP status of this class; 0 for any. */
  static readonly status: number = 0;
  /** Names of the fields that the code adds to its errors. */
  static readonly fields: readonly string[] = [];

  /** HTTP status of the response. */
  declare readonly status: number;
  /** Code of the contract, `http:<status>` when the response had none, or `response:invalid`. New codes may be added at any time. */
  declare readonly code: string;
  /** The response's `x-request-id`. Quote it when you report a problem. */
  declare readonly requestId?: string;
  /** The problems of the request, with one entry per field. Only with status 422. */
  declare readonly issues?: readonly ValidationIssue[];
  /** Seconds that the service asks to wait (`Retry-After`). */
  declare readonly retryAfter?: number;
  /**
   * Headers of the response, with names in lower case. `JSON.stringify`, and `util.inspect` and `console.log` of Node.js, mask
   * the values that may be secrets, such as cookies.
   */
  declare readonly headers: Readonly<Record<string, string>>;
  /** Method of the request. */
  declare readonly method: string;
  /** Path of the request as in the contract: `/v1/projects/{id}`. */
  declare readonly path: string;

  constructor(init: ApiErrorInit) {
    super(init.code, init.message, { hint: init.hint, advice: init.advice });
    // The stack must be captured with the name of the class, before a code adds a field called `name`.
    const { stack } = this;
    Object.defineProperty(this, "stack", { value: stack, configurable: true, writable: true });
    const { status, requestId, issues, retryAfter, method, path, headers = {} } = init;
    const properties: Record<string, unknown> = {
      status,
      requestId,
      issues,
      retryAfter,
      method,
      path,
      headers,
    };
    for (const field of new.target.fields) properties[field] = init.details[field];
    for (const [field, value] of Object.entries(properties)) {
      if (value === undefined) continue;
      Object.defineProperty(this, field, { value, enumerable: true, configurable: true, writable: true });
    }
  }
}

/** The service responded with success, but the body does not match the contract: HTML, broken JSON, or empty. */
export class InvalidResponseError extends ApiError {
  static override readonly kind: string = "InvalidResponseError";
  declare readonly code: "response:invalid";
}

/** The error of a response without a code, such as a proxy's response: its `code` is `http:502` for status 502. */
export interface HttpStatusError extends ApiError {
  readonly code: `http:${number}`;
}
