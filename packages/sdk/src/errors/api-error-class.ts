import { fieldsByCode, kindsByStatus, publicCodes } from "./generated/error-kinds.js";
import { ApiError } from "./api-error.js";
import { registeredApiErrors } from "./register-api-error.js";

const derivedClasses = new Map<string, typeof ApiError>();

/**
 * Returns the class of a code; of its status, when the code is unknown or belongs to another status; or `ApiError`. Classes
 * are derived when they are first needed, and have the same kind as those that the SDK exports.
 */
export const apiErrorClass = (code: string, status: number): typeof ApiError => {
  const registered = registeredApiErrors.get(code);
  if (registered && (registered.status === 0 || registered.status === status)) return registered;
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
  const known = derivedClasses.get(kind);
  if (known) return known;
  const derived = class extends base {
    static override readonly kind: string = kind;
    static override readonly status: number = status;
    static override readonly fields: readonly string[] = fields;
  };
  Object.defineProperty(derived, "name", { value: derived.className });
  derivedClasses.set(kind, derived);
  return derived;
};

/**
 * Whether an error with this code and status needs no kind for its code: the code has a class, or belongs to another status.
 * An error with a known code but another status is not of the code's kind.
 */
export const isClassified = (code: string, status: number): boolean =>
  registeredApiErrors.has(code) ||
  Object.values(kindsByStatus).some((kinds) => kinds.split(" ").includes(code)) ||
  (Object.hasOwn(publicCodes, code) && publicCodes[code] !== status);
