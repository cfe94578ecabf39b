import type { ErrorByCode } from "../generated/errors.js";
import { ApiError } from "./api-error.js";
import { isKind } from "./mgmt-error.js";

/**
 * Whether an error is an `ApiError`, and has the code, if one is given. Works across copies of the SDK.
 *
 * ```ts
 * if (isApiError(error, "app:already_exists")) return client.services.get(error.existingAppId);
 * ```
 */
export function isApiError(error: unknown): error is ApiError;
export function isApiError<C extends keyof ErrorByCode>(error: unknown, code: C): error is ErrorByCode[C];
/** For a code that this version of the SDK does not know. */
export function isApiError<C extends string>(
  error: unknown,
  code: C,
): error is ApiError & { readonly code: C };
export function isApiError(error: unknown, code?: string): boolean {
  if (!(error instanceof ApiError)) return false;
  return code === undefined || (error.code === code && isKind(error, code));
}
