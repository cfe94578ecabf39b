import type { ApiError } from "./api-error.js";
import { InvalidArgumentError } from "./local-errors.js";

const registered = new Map<string, typeof ApiError>();

/**
 * Has answers with the code `errorClass.kind` made into errors of that class, for codes that this version of the SDK does
 * not know, or knows as something else. `status` of the class, when it has one, must fit as well, and `fields` names what
 * the code adds to the error.
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
 * Throws `InvalidArgumentError` for a class without a `kind` of its own, which would never be found.
 */
export const registerApiError = (errorClass: typeof ApiError): void => {
  if (!Object.hasOwn(errorClass, "kind")) {
    throw new InvalidArgumentError("errorClass", "must have the code as a static `kind` of its own", {
      hint: 'Write: static override readonly kind = "noun:reason".',
    });
  }
  registered.set(errorClass.kind, errorClass);
};

export const registeredApiError = (code: string): typeof ApiError | undefined => registered.get(code);
