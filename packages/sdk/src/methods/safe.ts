import type { ApiPromise, ApiResponse } from "../request/api-promise.js";
import type { ApiError } from "../errors/api-error.js";
import { MgmtError, hasErrorKind } from "../errors/mgmt-error.js";
import type { Resource } from "./resource.js";

/** The result of a call: its value, or the error it threw. */
export type Result<T, E extends MgmtError = MgmtError> =
  | { readonly data: T; readonly error: undefined }
  | { readonly data: undefined; readonly error: E };

/** The result of a call, and its HTTP response; a failed call has one if its error is an `ApiError`. */
export type ResultWithResponse<T, E extends MgmtError = MgmtError> =
  | { readonly data: T; readonly error: undefined; readonly response: ApiResponse }
  | { readonly data: undefined; readonly error: E; readonly response: ApiResponse | undefined };

/** A promise of the result of a call that also provides the HTTP response. */
export interface SafePromise<T, E extends MgmtError = MgmtError> extends Promise<Result<T, E>> {
  /**
   * Resolves to the result together with status, headers, request ID and attempts.
   *
   * ```ts
   * const { data, error, response } = await client.safe.projects.get(id).withResponse();
   * ```
   */
  withResponse(): Promise<ResultWithResponse<T, E>>;
}

/** The same methods, which resolve to a `Result` instead of throwing. */
export type Safe<T> = {
  readonly [Name in keyof T]: T extends Resource<infer Methods extends Readonly<Record<Name, unknown>>>
    ? Methods[Name]
    : SafeMember<T[Name]>;
};

/** A member of a client, or a method that a program has added to a resource. */
type SafeMember<Member> = Member extends ((
  ...args: infer Arguments
) => infer Call extends PromiseLike<unknown>)
  ? (...args: Arguments) => SafeCall<Call>
  : Safe<Member>;

/** A call that `withResponse` can follow, or a composed one. */
type SafeCall<Call extends PromiseLike<unknown>> =
  Call extends Pick<ApiPromise<unknown>, "withResponse">
    ? SafePromise<Awaited<Call>>
    : Promise<Result<Awaited<Call>>>;

/** The members of `T` without their types. An interface that extends it declares the types, and editors show the comments of `T`. */
export type Documented<T> = { readonly [Name in keyof T]: unknown };

/** Returns the methods of a client or a resource, which then resolve to a `Result` instead of throwing. */
export const safely = <T extends object>(target: T): Safe<T> =>
  // The proxy returns for each property a value of its type.
  new Proxy(target, {
    get(_, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member === "function")
        return (...args: unknown[]) => toSafePromise(() => member.apply(target, args));
      return typeof member === "object" && member !== null ? safely(member) : member;
    },
  }) as Safe<T>;

const toSafePromise = (startCall: () => ApiPromise<unknown>): SafePromise<unknown> => {
  let call: ApiPromise<unknown>;
  const callResult = toResult(() => (call = startCall()));
  const withResponse = async (): Promise<ResultWithResponse<unknown>> => {
    const { data, error } = await callResult;
    return error
      ? { data, error, response: readErrorResponse(error) }
      : { ...(await call.withResponse()), error };
  };
  return Object.assign(callResult, { withResponse });
};

const toResult = async (startCall: () => PromiseLike<unknown>): Promise<Result<unknown>> => {
  try {
    return { data: await startCall(), error: undefined };
  } catch (error) {
    if (error instanceof MgmtError) return { data: undefined, error };
    throw error;
  }
};

const readErrorResponse = (error: MgmtError): ApiResponse | undefined => {
  // The class itself is not imported, so that a program without it does not load it.
  if (!hasErrorKind(error, "ApiError")) return undefined;
  const { status, headers, requestId, attempts = [] } = error as ApiError;
  return { status, headers, requestId, attempts };
};
