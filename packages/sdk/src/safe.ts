import { MgmtError } from "./errors/mgmt-error.js";

/** The result of a call: its value, or the error it threw. */
export type Result<T> =
  { readonly data: T; readonly error: undefined } | { readonly data: undefined; readonly error: MgmtError };

/** The same methods, which resolve to a `Result` instead of throwing. */
export type Safe<T> = {
  readonly [Name in keyof T]: T[Name] extends (...args: infer Arguments) => PromiseLike<infer Value>
    ? (...args: Arguments) => Promise<Result<Value>>
    : Safe<T[Name]>;
};

/** Returns the methods of a client or a resource, which then resolve to a `Result` instead of throwing. */
export const safely = <T extends object>(target: T): Safe<T> =>
  // The proxy returns for each property what the type says.
  new Proxy(target, {
    get(_, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member === "function")
        return (...args: unknown[]) => toResult(() => member.apply(target, args));
      return typeof member === "object" && member !== null ? safely(member) : member;
    },
  }) as Safe<T>;

const toResult = async (call: () => unknown): Promise<Result<unknown>> => {
  try {
    return { data: await call(), error: undefined };
  } catch (error) {
    if (error instanceof MgmtError) return { data: undefined, error };
    throw error;
  }
};
