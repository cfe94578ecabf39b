import { fieldsByCode, kindsByStatus } from "../generated/error-kinds.js";
import { ApiError } from "./api-error.js";
import { className } from "./mgmt-error.js";
import { registeredApiError } from "./register-api-error.js";

const made = new Map<string, typeof ApiError>();

/**
 * The class of a code; of its status, when the code is unknown or belongs to another status; else `ApiError`. Each is made
 * when it first occurs, and is the same kind as the one that the SDK exports.
 */
export const apiErrorClass = (code: string, status: number): typeof ApiError => {
  const own = registeredApiError(code);
  if (own && (own.status === 0 || own.status === status)) return own;
  const [statusKind, ...codes] = Object.hasOwn(kindsByStatus, status)
    ? (kindsByStatus[status] ?? "").split(" ")
    : [];
  if (statusKind === undefined) return ApiError;
  const base = derive(ApiError, statusKind, status);
  return codes.includes(code) ? derive(base, code, status, fieldsByCode[code]) : base;
};

const derive = (
  base: typeof ApiError,
  kind: string,
  status: number,
  fields: readonly string[] = [],
): typeof ApiError => {
  const found = made.get(kind);
  if (found) return found;
  const derived = class extends base {
    static override readonly kind: string = kind;
    static override readonly status: number = status;
    static override readonly fields: readonly string[] = fields;
  };
  Object.defineProperty(derived, "name", { value: className(kind) });
  made.set(kind, derived);
  return derived;
};

/** Whether a code has a class: at another status than its own, the error is none of it. */
export const isKnownCode = (code: string): boolean =>
  registeredApiError(code) !== undefined ||
  Object.values(kindsByStatus).some((kinds) => kinds.split(" ").includes(code));
