import type { ErrorByCode } from "./generated/errors.js";
import { ApiError, type HttpStatusError, type InvalidResponseError } from "./api-error.js";
import { hasErrorKind } from "./mgmt-error.js";

/** An error code that this version of the SDK does not know: of a newer service, or of a proxy in front of it. */
export interface UnlistedCode<C extends string = string> {
  readonly unlisted: C;
}

/**
 * An `ApiError` as a union that `code` narrows: the codes of the contract, `http:<status>` for a response without a code, and
 * `response:invalid`. A service that is newer than this version of the SDK may return other codes: handle them in the `default` of a
 * `switch`, or with `{ unlisted: code }`.
 */
export type KnownApiError = ErrorByCode[keyof ErrorByCode] | HttpStatusError | InvalidResponseError;

/**
 * Returns whether an error is an `ApiError`, and has the code, or one of the codes, if any is given. Works across copies of the SDK.
 *
 * ```ts
 * if (isApiError(error, "app:already_exists")) return client.services.get(error.existingAppId);
 * if (isApiError(error, ["project:not_found", "database:not_found"])) return undefined;
 * ```
 *
 * The compiler rejects codes that are not in the contract, so that a misspelled code does not go unnoticed. Pass any other
 * code, such as one of a newer service, as `{ unlisted: "quota:exceeded" }`.
 */
export function isApiError(error: unknown): error is KnownApiError;
export function isApiError<C extends string>(
  error: unknown,
  code: UnlistedCode<C>,
): error is ApiError & { readonly code: C };
export function isApiError<C extends keyof ErrorByCode>(
  error: unknown,
  codes: readonly C[],
): error is ErrorByCode[C];
// The compiler quotes the last overload, with the code that was probably meant.
export function isApiError<C extends keyof ErrorByCode>(error: unknown, code: C): error is ErrorByCode[C];
export function isApiError(error: unknown, expected?: string | readonly string[] | UnlistedCode): boolean {
  if (!(error instanceof ApiError)) return false;
  if (expected === undefined) return true;
  const { code } = error;
  const hasExpectedCode =
    typeof expected === "object" && "unlisted" in expected
      ? expected.unlisted === code
      : [expected].flat().includes(code);
  // An error with a known code, but another status, is not of the code's class.
  return hasExpectedCode && hasErrorKind(error, code);
}
