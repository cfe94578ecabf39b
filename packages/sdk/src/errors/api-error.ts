import type { ValidationIssue } from "../generated/types.js";
import { type Advice, MgmtError } from "./mgmt-error.js";

/** What an `ApiError` is made of. */
export interface ApiErrorInit {
  status: number;
  code: string;
  message: string;
  hint?: string | undefined;
  advice?: Advice | undefined;
  requestId?: string | undefined;
  issues?: ValidationIssue[] | undefined;
  retryAfter?: number | undefined;
  method: string;
  path: string;
  /** What the code adds to the error; each error class names what it takes. */
  details: Record<string, unknown>;
}

/**
 * The service answered, but not with what was asked for. There is a subclass for every status of the contract, and
 * below it one for every code; an unknown code falls back to its status.
 */
export class ApiError extends MgmtError {
  static override readonly kind: string = "ApiError";
  /** The status that the class stands for; 0 for any. */
  static readonly status: number = 0;
  /** Fields that the code adds, set by the classes that have them. */
  static readonly fields: readonly string[] = [];

  /** HTTP status of the answer. */
  declare readonly status: number;
  /** Code of the contract, or `http:<status>` when the answer had none. New ones may appear at any time. */
  declare readonly code: string;
  /** The answer's `x-request-id`: name it when you report a fault. */
  declare readonly requestId?: string;
  /** What does not fit, one entry a field. Only with 422. */
  declare readonly issues?: readonly ValidationIssue[];
  /** Seconds that the service asks to wait (`Retry-After`). */
  declare readonly retryAfter?: number;
  /** Method of the request. */
  declare readonly method: string;
  /** Path of the request as the contract writes it: `/v1/projects/{id}`. */
  declare readonly path: string;

  constructor(init: ApiErrorInit) {
    super(init.code, init.message, { hint: init.hint, advice: init.advice });
    // A code may add a field called `name`; the stack must be written before, with the name of the class.
    const { stack } = this;
    Object.defineProperty(this, "stack", { value: stack, configurable: true, writable: true });
    const { status, requestId, issues, retryAfter, method, path } = init;
    const known: Record<string, unknown> = { status, requestId, issues, retryAfter, method, path };
    for (const field of new.target.fields) known[field] = init.details[field];
    for (const [field, value] of Object.entries(known)) {
      if (value === undefined) continue;
      Object.defineProperty(this, field, { value, enumerable: true, configurable: true, writable: true });
    }
  }
}

/** The service answered with success, but what it sent is not what the contract says: HTML, broken JSON, nothing. */
export class InvalidResponseError extends ApiError {
  static override readonly kind: string = "InvalidResponseError";
}
