import { MgmtError } from "./errors/mgmt-error.js";

/** What a call came to: its value, or why there is none. */
export type Result<T> =
  { readonly data: T; readonly error: undefined } | { readonly data: undefined; readonly error: MgmtError };

/** The same methods, answering a `Result` instead of throwing. */
export type Safe<T> = {
  readonly [Name in keyof T]: T[Name] extends (...args: infer Arguments) => PromiseLike<infer Value>
    ? (...args: Arguments) => Promise<Result<Value>>
    : Safe<T[Name]>;
};

/** The methods of a client or a resource, answering a `Result` instead of throwing. */
export const safely = <T extends object>(target: T): Safe<T> =>
  // What the proxy answers for each property is what the type says.
  new Proxy(target, {
    get(_, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member === "function")
        return (...args: unknown[]) => settle(() => member.apply(target, args));
      return typeof member === "object" && member !== null ? safely(member) : member;
    },
  }) as Safe<T>;

const settle = async (call: () => unknown): Promise<Result<unknown>> => {
  try {
    return { data: await call(), error: undefined };
  } catch (error) {
    if (error instanceof MgmtError) return { data: undefined, error };
    throw error;
  }
};
