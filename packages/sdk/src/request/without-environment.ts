/** The replacement of `environment.ts` in browsers, which have no environment. A declaration, because bundlers remove its calls. */
export function readEnvironmentVariable(): undefined {}
