import type { EnsureOptions } from "../ensure/ensure-result.js";
import { isLoopbackHostname } from "../transport/loopback.js";
import type { ListOptions } from "./call.js";
import type { ClientOptions } from "./client-options.js";

/** Makes the error for an argument. A parameter, because this module is built apart and would have its own copy of the class. */
type ArgumentError = new (argument: string, problem: string, options: { hint: string }) => Error;

type CallOptions = ListOptions & Pick<EnsureOptions, "credentials">;

const callOptions: Record<keyof CallOptions, true> = {
  signal: true,
  timeoutMs: true,
  maxRetries: true,
  maxRetryAfterMs: true,
  headers: true,
  token: true,
  transport: true,
  middleware: true,
  debug: true,
  waitForApproval: true,
  prefetch: true,
  credentials: true,
};
const clientOptions: Record<keyof ClientOptions, true> = {
  baseUrl: true,
  token: true,
  fetch: true,
  transport: true,
  headers: true,
  timeoutMs: true,
  maxRetries: true,
  maxRetryAfterMs: true,
  middleware: true,
  debug: true,
  waitForApproval: true,
  allowInsecureHttp: true,
};
const known = { client: Object.keys(clientOptions), call: Object.keys(callOptions) };

/**
 * Throws for a misspelled option, and for an option of a client that is passed to a call. TypeScript refuses both, too. Other
 * names are ignored, because a program may pass an object that has the options among other fields. The `imports` of
 * `package.json` leave the checks of this module out of production builds for browsers, where every byte counts.
 */
export function assertOptions(options: object, of: "client" | "call", ArgumentError: ArgumentError): void {
  assertOptionNames(options, `a ${of}`, known[of], ArgumentError);
}

/** Like `assertOptions`, for options that this module does not know. */
export function assertOptionNames(
  options: object,
  of: string,
  names: readonly string[],
  ArgumentError: ArgumentError,
): void {
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined || names.includes(name)) continue;
    const similar = mostSimilar(name, names);
    if (similar === undefined && !(of === "a call" && known.client.includes(name))) continue;
    const meant = similar === undefined ? "" : `; did you mean ${similar}?`;
    throw new ArgumentError(name, `is not an option of ${of}${meant}`, {
      hint: `The options of ${of} are ${names.join(", ")}. Nothing was sent.`,
    });
  }
}

/** Throws for an `http:` address of another machine, unless `allowInsecureHttp` is true. */
export function assertEncrypted(
  baseUrl: string,
  { allowInsecureHttp = false }: Pick<ClientOptions, "allowInsecureHttp">,
  ArgumentError: ArgumentError,
): void {
  const { protocol, hostname } = new URL(baseUrl);
  if (protocol === "https:" || allowInsecureHttp || isLoopbackHostname(hostname)) return;
  throw new ArgumentError("baseUrl", "must start with https://, or with http:// on loopback", {
    hint: "To send credentials to this address unencrypted, set allowInsecureHttp to true. Nothing was sent.",
  });
}

/** Throws for a value that is not a whole `Response`, which a test double of `fetch` may return. */
export function assertFetched(response: unknown, ArgumentError: ArgumentError): void {
  const missing = missingPart(response);
  if (missing === undefined) return;
  throw new ArgumentError("fetch", `must return a Response, but ${missing}`, {
    hint: "In a test, return `new Response(body, { status, headers })`, or use @mgmt/mock. A request may have been sent.",
  });
}

const missingPart = (response: unknown): string | undefined => {
  if (typeof response !== "object" || response === null) return `it returned ${String(response)}`;
  const part = (name: string): unknown => Reflect.get(response, name);
  if (typeof part("status") !== "number") return "what it returned has no status";
  const headers = part("headers");
  if (typeof headers !== "object" || headers === null || !(Symbol.iterator in headers)) {
    return "what it returned has no Headers";
  }
  return typeof part("text") === "function" ? undefined : "what it returned has no text()";
};

/** Returns the name that contains the given one or is contained in it, or else the one with the longest common beginning. */
const mostSimilar = (given: string, names: readonly string[]): string | undefined => {
  const word = given.toLowerCase();
  const common = (name: string): number => {
    const other = name.toLowerCase();
    if (word.length > 2 && (other.includes(word) || word.includes(other))) return Infinity;
    const different = [...word].findIndex((letter, index) => letter !== other[index]);
    return different === -1 ? word.length : different;
  };
  const [best] = [...names].sort((one, other) => common(other) - common(one));
  return best !== undefined && common(best) > 2 ? best : undefined;
};
