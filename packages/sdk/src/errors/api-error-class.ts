import { fieldsByCode, kindsByStatus, publicCodes } from "./generated/error-kinds.js";
import { ApiError } from "./api-error.js";
import { registeredApiErrors } from "./register-api-error.js";

const derivedClasses = new Map<string, typeof ApiError>();

/**
 * Returns the class of an error response: the class of its code; the class of its status if the code is unknown or belongs to another
 * status; `ApiError` if the status has no class. A class is created when it is first needed, because a client meets few of them.
 * `instanceof` compares kinds, so these classes count as the ones that the SDK exports.
 */
export const getApiErrorClass = (code: string, status: number): typeof ApiError => {
  const registeredClass = registeredApiErrors.get(code);
  if (registeredClass && (registeredClass.status === 0 || registeredClass.status === status))
    return registeredClass;
  const [statusKind, ...codes] = Object.hasOwn(kindsByStatus, status)
    ? (kindsByStatus[status] ?? "").split(" ")
    : [];
  if (statusKind === undefined) return ApiError;
  const baseClass = deriveErrorClass(ApiError, statusKind, status);
  return codes.includes(code) ? deriveErrorClass(baseClass, code, status, fieldsByCode[code]) : baseClass;
};

const deriveErrorClass = (
  baseClass: typeof ApiError,
  kind: string,
  status: number,
  fields: readonly string[] = [],
): typeof ApiError => {
  const existingClass = derivedClasses.get(kind);
  if (existingClass) return existingClass;
  const derivedClass = class extends baseClass {
    static override readonly kind: string = kind;
    static override readonly status: number = status;
    static override readonly fields: readonly string[] = fields;
  };
  Object.defineProperty(derivedClass, "name", { value: derivedClass.className });
  derivedClasses.set(kind, derivedClass);
  return derivedClass;
};

/**
 * Returns whether an error with this code and status needs the code as an additional kind, because its class is not the class of the code.
 * That is so for a code that has no class and is not a code of another status.
 */
export const needsKindOfCode = (code: string, status: number): boolean =>
  !registeredApiErrors.has(code) &&
  !Object.values(kindsByStatus).some((kinds) => kinds.split(" ").includes(code)) &&
  (!Object.hasOwn(publicCodes, code) || publicCodes[code] === status);
