/** A value or a promise of it. */
export type Awaitable<T> = T | Promise<T>;

/** Whether a server's methods return values (`sync`, in memory) or promises (`async`, where rows have to be loaded). */
export type CallMode = "sync" | "async";

interface ResultByMode<T> {
  readonly sync: T;
  readonly async: Promise<T>;
}

/** The return type of a method: `T` if the mode is `sync`, otherwise a promise of it. */
export type ModeResult<Mode extends CallMode, T> = ResultByMode<T>[Mode];

/**
 * Returns whether a value comes in a promise. Checks for `then`: libraries such as Zone.js replace the global `Promise`, so that a promise
 * of an async function may not be an instance of it.
 */
export const isPromiseLike = <T>(value: Awaitable<T>): value is Promise<T> =>
  typeof value === "object" && value !== null && "then" in value && typeof value.then === "function";

/** Calls `onValue` with a value: immediately, or when its promise resolves. */
export const mapAwaitable = <T, Result>(
  value: Awaitable<T>,
  onValue: (value: T) => Awaitable<Result>,
): Awaitable<Result> => (isPromiseLike(value) ? value.then(onValue) : onValue(value));
