/** A value, at once or in a promise. */
export type Awaitable<T> = T | Promise<T>;

/** How the members of a server return what they read: `sync` from memory, `async` where rows have to be loaded. */
export type Mode = "sync" | "async";

interface Results<T> {
  readonly sync: T;
  readonly async: Promise<T>;
}

/** What a member returns: `T` in a server in memory, otherwise a promise of it. */
export type Returned<M extends Mode, T> = Results<T>[M];

/** Calls `next` with a value, at once or when its promise resolves. */
export const andThen = <T, Result>(
  value: Awaitable<T>,
  next: (value: T) => Awaitable<Result>,
): Awaitable<Result> => (value instanceof Promise ? value.then(next) : next(value));
