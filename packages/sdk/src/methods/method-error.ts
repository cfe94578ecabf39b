import type { AuthError } from "../auth/auth-error.js";
import type { ErrorCodesByMethod, OwnErrorByMethod } from "../errors/generated/error-codes.js";
import type { HttpStatusError, InvalidResponseError } from "../errors/api-error.js";
import type { ConnectionError, InvalidArgumentError, TimeoutError } from "../errors/local-errors.js";
import type { ConnectError } from "../errors/connect-errors.js";
import type { WaitFailedError, WaitTimeoutError } from "../errors/wait-errors.js";
import type { NotLoadedError } from "../errors/not-loaded.js";
import type { ResponseTooLargeError } from "../errors/response-too-large-error.js";
import type { TokenError } from "../errors/token-error.js";

/** An error that any call may end with before it has a complete response, as a union that `code` narrows. */
export type LocalError =
  | InvalidArgumentError
  | (ConnectionError & { readonly code: "connection:failed" })
  | TimeoutError
  | ResponseTooLargeError
  | NotLoadedError
  | (TokenError & { readonly code: "token:missing" | "token:unavailable" })
  | AuthError;

/**
 * The errors of a method of the client as a union that `code` narrows: the errors of its operation, and the errors of the SDK. `code` is
 * compared with the codes of this union only, so that a misspelled code does not compile.
 *
 * ```ts
 * const explain = (error: MethodError<"projects.get">): string =>
 *   error.code === "project:not_found" ? "The project does not exist." : error.message;
 * ```
 *
 * A service that is newer than this version of the SDK may return other codes: handle them in the `default` of a `switch`.
 */
export type MethodError<Method extends keyof ErrorCodesByMethod> =
  | OwnErrorByMethod[Method]
  | HttpStatusError
  | InvalidResponseError
  | LocalError;

/** The errors of a method that creates or ensures as `Method` does, then waits and connects. */
export type ConnectMethodError<Method extends keyof ErrorCodesByMethod> =
  | MethodError<Method>
  | MethodError<"databases.get">
  | MethodError<"connections.create">
  | WaitTimeoutError
  | WaitFailedError
  | ConnectError;
