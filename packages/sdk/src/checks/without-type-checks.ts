/**
 * The replacement of `type-checks.ts` in production builds for browsers, for code that loads at startup. Bundlers remove calls of empty
 * functions, which is why these are declarations.
 */

/**
 * Matches the arguments of most calls: the tag of the value, and then an option, `?` and a query parameter, or `{` and a field of a body.
 * An argument that does not match may be valid too; it makes the SDK load the complete checks. Options that load the same code when they
 * are used are not in the pattern.
 */
const certainlyValidPattern =
  /^.object (Number.(timeoutMs|maxRetries|maxRetryAfterMs)|(String|Number|Undefined).\?(cursor|limit|.+(Id|Name))|(AbortSignal|Undefined).signal|(String|.*Function).token|.*Function.onRetry|Object.headers|\w+.{(?![iI]dem).*)$/;

/**
 * Returns whether options, query parameters, or fields of a body are so simple that the complete checks would accept them.
 *
 * @param namePrefix `?` for query parameters, `{` for fields of a body. Default: options.
 */
export function areCertainlyValid(values: unknown, namePrefix = ""): boolean {
  // A spread accepts any value.
  return Object.entries({ ...(values as object) }).every(([name, value]) =>
    certainlyValidPattern.test({}.toString.call(value) + namePrefix + name),
  );
}

export function assertRuntime(): void {}
export function assertOptions(): void {}
export function assertCall(): void {}
/** Browsers themselves reject `http:` requests from pages on `https:`. */
export function assertEncrypted(): void {}
export function assertOptionNames(): void {}
export function assertFetch(): void {}
export function assertFetchedResponse(): void {}
export function requireResponse<T>(response: T): T {
  return response;
}
export function findBaseUrlProblem(baseUrl: string): string | undefined {
  return /^(?!https?:)|:..[^/]*@|[?#]|\/v1$/.test(baseUrl)
    ? "must be a URL without credentials, query or /v1"
    : undefined;
}
