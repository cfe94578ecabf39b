import type { ErrorByCode } from "../generated/errors.js";
import { ApiError } from "./api-error.js";
import { isKind } from "./mgmt-error.js";

/** An error code that this version of the SDK does not know: of a newer service, or of a proxy in front of it. */
export interface UnlistedCode<C extends string = string> {
  readonly unlisted: C;
}

/**
 * Whether an error is an `ApiError`, and has the code, if one is given. Works across copies of the SDK.
 *
 * ```ts
 * if (isApiError(error, "app:already_exists")) return client.services.get(error.existingAppId);
 * ```
 *
 * The compiler refuses codes that are not in the contract, so that a misspelled code does not go unnoticed. Pass any other
 * code, such as one of a newer service, as `{ unlisted: "quota:exceeded" }`.
 */
export function isApiError(error: unknown): error is ApiError;
export function isApiError<C extends string>(
  error: unknown,
  code: UnlistedCode<C>,
): error is ApiError & { readonly code: C };
// The last overload is the one that the compiler quotes, with the code that was probably meant.
export function isApiError<C extends keyof ErrorByCode>(error: unknown, code: C): error is ErrorByCode[C];
export function isApiError(error: unknown, code?: string | UnlistedCode): boolean {
  if (!(error instanceof ApiError)) return false;
  const wanted = typeof code === "object" ? code.unlisted : code;
  return wanted === undefined || (error.code === wanted && isKind(error, wanted));
}
