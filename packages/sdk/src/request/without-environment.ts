/**
 * Replaces the function of `environment.ts` in browsers, which have no environment. A function declaration, because bundlers remove calls
 * of empty ones.
 */
export function readEnvironmentVariable(): undefined {}
