/**
 * The replacement of `type-checks.ts` in production builds for browsers. Bundlers remove calls of empty functions, which is why
 * these are declarations.
 */
export function assertOptions(): void {}
export function assertOptionNames(): void {}
export function assertFetched(): void {}
