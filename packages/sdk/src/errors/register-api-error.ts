import type { ApiError } from "./api-error.js";
import { InvalidArgumentError } from "./local-errors.js";

/** The classes that programs have registered, by error code. */
export const registeredApiErrors = new Map<string, typeof ApiError>();

/**
 * Makes responses with the code `errorClass.kind` throw instances of that class: for codes that this version of the SDK does
 * not know, or to replace its class. When the class has a `status`, that must match too. `fields` names what the code adds
 * to the error.
 *
 * ```ts
 * class QuotaExceededError extends ApiError {
 *   static override readonly kind = "quota:exceeded";
 *   static override readonly fields = ["quota"];
 *   declare readonly quota: number;
 * }
 * registerApiError(QuotaExceededError);
 * ```
 *
 * Throws `InvalidArgumentError` for a class without its own `kind`, which would never be used.
 */
export const registerApiError = (errorClass: typeof ApiError): void => {
  if (!Object.hasOwn(errorClass, "kind")) {
    throw new InvalidArgumentError("errorClass", "must have its own static `kind`, which is the code", {
      hint: 'Add: static override readonly kind = "noun:reason".',
    });
  }
  registeredApiErrors.set(errorClass.kind, errorClass);
};
