/**
 * The replacement of `type-checks.ts` in production builds for browsers. Bundlers remove calls of empty functions, which is why
 * these are declarations.
 */
export function assertOptions(): void {}
/** Browsers themselves refuse `http:` requests from pages on `https:`. */
export function assertEncrypted(): void {}
export function assertOptionNames(): void {}
export function assertFetched(): void {}
