/** A value, at once or in a promise. */
export type Awaitable<T> = T | Promise<T>;

/** How the members of a server return their results: `sync` from memory, `async` where rows have to be loaded. */
export type Mode = "sync" | "async";

interface Results<T> {
  readonly sync: T;
  readonly async: Promise<T>;
}

/** The return type of a member: `T` in a server in memory, otherwise a promise of it. */
export type Returned<M extends Mode, T> = Results<T>[M];

/**
 * Returns whether a value comes in a promise. Zone.js and others replace the global `Promise`, which that of an async function is no
 * instance of.
 */
export const isPromise = <T>(value: Awaitable<T>): value is Promise<T> =>
  typeof value === "object" && value !== null && "then" in value && typeof value.then === "function";

/** Calls `onValue` with a value, at once or when its promise resolves. */
export const applyWhenReady = <T, Result>(
  value: Awaitable<T>,
  onValue: (value: T) => Awaitable<Result>,
): Awaitable<Result> => (isPromise(value) ? value.then(onValue) : onValue(value));
