import { isLoopbackHostname } from "./loopback.js";
import { type OptionsOwner, type OptionRules, isPlainObject, optionRules } from "./option-rules.js";
import { queryNames } from "../generated/query-names.js";
import { findSimilarOption } from "./similar-option.js";

/**
 * Returns the class of the error for an argument. A parameter, because this module is built apart and would have its own copy of the
 * class; a function, because bundlers that remove a call keep a class in its arguments.
 */
type GetArgumentErrorClass = () => new (
  argument: string,
  problem: string,
  options: { hint: string },
) => Error;

/** A call of a method of a resource, whose `pathParams` are an array, or of a path. */
interface CheckedCall {
  readonly method: string;
  readonly path: string;
  readonly pathParams?: object;
  readonly query?: object | undefined;
  readonly body?: unknown;
}

/** The names that other services use for a key that makes a repeated request have one effect. */
const idempotencyKeyNames: readonly string[] = [
  "idempotencyKey",
  "idempotency_key",
  "idempotency-key",
  "Idempotency-Key",
  "idempotencyToken",
];
const nothingSentText = "Nothing was sent.";

// The `imports` of `package.json` leave the checks of this module out of what a production build for browsers loads at start, where
// every byte counts. Code that is loaded on demand imports it as `#all-type-checks`.

/** Throws unless the options are a plain object, all of them exist, and each has a value of its type. TypeScript rejects the same. */
export function assertOptions(
  options: unknown,
  owner: OptionsOwner,
  getArgumentErrorClass: GetArgumentErrorClass,
): void {
  const rules: OptionRules = optionRules[owner];
  assertOptionNames(options, owner, Object.keys(rules), getArgumentErrorClass);
  assertTypes(options, rules, getArgumentErrorClass);
  if (isPlainObject(options) && isPlainObject(options["waitForApproval"])) {
    assertOptions(options["waitForApproval"], "waitForApproval", getArgumentErrorClass);
    for (const name of ["timeoutMs", "pollIntervalMs"]) {
      if (Number(options["waitForApproval"][name] ?? Infinity) > 0) continue;
      throw new (getArgumentErrorClass())(`waitForApproval.${name}`, "must be a number above 0", {
        hint: nothingSentText,
      });
    }
  }
}

/** Throws for options of a call that are not valid, and for those that were passed among its fields or parameters. */
export function assertCall(
  call: CheckedCall,
  options: unknown,
  getArgumentErrorClass: GetArgumentErrorClass,
): void {
  const { body } = call;
  const query = call.query ?? {};
  // Every page of a list has a cursor, if only an undefined one.
  const isList = isPlainObject(query) && "cursor" in query;
  const owner = isList ? "a list" : "a call";
  const passedNames = [call, query, isPlainObject(body) ? body : {}].flatMap((object) => Object.keys(object));
  const idempotencyKeyName = passedNames.find((name) => idempotencyKeyNames.includes(name));
  if (idempotencyKeyName !== undefined)
    throw createIdempotencyKeyError(idempotencyKeyName, owner, getArgumentErrorClass);
  // A newer service may have parameters of any name, but each of them is text.
  const parameters = Object.entries(query).filter(([, value]) => isList || typeof value !== "string");
  const misplacedOption = [...Object.keys(call), ...parameters.map(([name]) => name)].find((name) =>
    Object.hasOwn(optionRules[owner], name),
  );
  if (misplacedOption !== undefined) {
    throw new (getArgumentErrorClass())(
      misplacedOption,
      "is an option, which is passed in the last argument",
      {
        hint: `Pass the parameters first, such as \`list({ limit: 10 }, { ${misplacedOption} })\`; without parameters, \`list({}, { ${misplacedOption} })\`. ${nothingSentText}`,
      },
    );
  }
  const nonScalarEntry = Object.entries(query).find(([, value]) => !isScalar(value));
  if (nonScalarEntry) {
    throw new (getArgumentErrorClass())(nonScalarEntry[0], "must be a string, a number or a boolean", {
      hint: `It is ${describeType(nonScalarEntry[1])}. ${nothingSentText}`,
    });
  }
  if (Array.isArray(call.pathParams)) assertQueryNames(call, query, getArgumentErrorClass);
  assertOptions(call, "a request", getArgumentErrorClass);
  assertOptions(options ?? {}, owner, getArgumentErrorClass);
}

/** Throws for a query parameter that the operation of a method does not have. A newer service is called by path. */
const assertQueryNames = (
  { method, path }: { method: string; path: string },
  query: object,
  getArgumentErrorClass: GetArgumentErrorClass,
): void => {
  const knownParameters = (Object.hasOwn(queryNames, path) && queryNames[path]) || [];
  const unknownParameter = Object.entries(query).find(
    ([name, value]) => value !== undefined && !knownParameters.includes(name),
  )?.[0];
  if (method !== "GET" || unknownParameter === undefined) return;
  const similarParameter = findSimilarOption(unknownParameter, knownParameters);
  const suggestion = similarParameter === undefined ? "" : `; did you mean ${similarParameter}?`;
  const names =
    knownParameters.length > 0
      ? `Its parameters are ${knownParameters.join(", ")}.`
      : "It has no parameters.";
  throw new (getArgumentErrorClass())(unknownParameter, `is not a parameter of GET ${path}${suggestion}`, {
    hint: `${names} To pass one of a newer service, use client.requestPages() or client.request(). ${nothingSentText}`,
  });
};

/** Returns whether a query can carry a value: a string, a number, a boolean, null, or undefined. */
const isScalar = (value: unknown): boolean =>
  value === null || !["object", "function", "symbol"].includes(typeof value);

/** Throws unless the options are a plain object that has only these names. */
export function assertOptionNames(
  options: unknown,
  owner: string,
  names: readonly string[],
  getArgumentErrorClass: GetArgumentErrorClass,
): void {
  const describeOptions = (): string => `The options of ${owner} are ${names.join(", ")}.`;
  if (!isPlainObject(options)) {
    throw new (getArgumentErrorClass())("options", "must be a plain object", {
      hint: `Pass them by name, such as \`{ ${names[0] ?? ""} }\`. ${describeOptions()} ${nothingSentText}`,
    });
  }
  for (const name of Object.keys(options)) {
    if (names.includes(name)) continue;
    if (idempotencyKeyNames.includes(name))
      throw createIdempotencyKeyError(name, owner, getArgumentErrorClass);
    const similarName = findSimilarOption(name, names);
    const suggestion = similarName === undefined ? "" : `; did you mean ${similarName}?`;
    const ownerHint = similarName === undefined ? suggestOwner(name) : "";
    throw new (getArgumentErrorClass())(name, `is not an option of ${owner}${suggestion}`, {
      hint: `${ownerHint}${describeOptions()} If an object has other fields, pass only the options in it. ${nothingSentText}`,
    });
  }
}

/** Returns a sentence that names the other function that has the option, or an option with a similar name. */
const suggestOwner = (optionName: string): string => {
  const rulesByOwner = Object.entries<OptionRules>(optionRules);
  const owner = rulesByOwner.find(([, rules]) => Object.hasOwn(rules, optionName))?.[0];
  if (owner !== undefined) return `It is an option of ${owner}. `;
  for (const [otherOwner, rules] of rulesByOwner) {
    const similarName = findSimilarOption(optionName, Object.keys(rules));
    if (similarName !== undefined) return `Did you mean ${similarName}, an option of ${otherOwner}? `;
  }
  return "";
};

const createIdempotencyKeyError = (
  name: string,
  owner: string,
  getArgumentErrorClass: GetArgumentErrorClass,
): Error =>
  new (getArgumentErrorClass())(name, `is not an option of ${owner}; did you mean ensure()?`, {
    hint: `The API has no idempotency keys. To create a resource only once however often the program runs, call ensure(), which takes the body of create(). ${nothingSentText}`,
  });

const assertTypes = (
  options: unknown,
  rules: OptionRules,
  getArgumentErrorClass: GetArgumentErrorClass,
): void => {
  for (const [name, value] of Object.entries(Object(options))) {
    const rule = rules[name];
    if (value === undefined || rule === undefined || rule.accepts(value)) continue;
    throw new (getArgumentErrorClass())(name, rule.problem, {
      hint: `It is ${describeType(value)}. ${nothingSentText}`,
    });
  }
};

/** Returns the type of a value for a message, which does not quote the value because it may be a secret. */
const describeType = (value: unknown): string => {
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  const type = typeof value;
  return `${type === "object" ? "an" : "a"} ${type}`;
};

/** Returns true, because this module has already checked everything. */
export const areCertainlyValid: (values: unknown, namePrefix?: string) => boolean = () => true;

/**
 * Describes the problem of the URL of a service.
 *
 * @param normalizedUrl empty if `passedUrl` is no URL.
 */
export function findBaseUrlProblem(normalizedUrl: string, passedUrl: string): string | undefined {
  if (!passedUrl) return "must be passed or set in MGMT_BASE_URL; or use cliLogin()";
  // The parser also takes one slash or none, backslashes, and line breaks.
  if (!normalizedUrl || !/^\s*https?:\/\/[^\s\\]+\s*$/i.test(passedUrl))
    return "must be an absolute URL, https:// or http://";
  if (/^\w+:..[^/]*@/.test(normalizedUrl)) return "must not contain a credential; use token";
  return /[?#]|\/v1$/.test(normalizedUrl) ? "must not have a query or fragment, nor end in /v1" : undefined;
}

/** Throws for an `http:` URL of another machine, unless `allowInsecureHttp` is true. */
export function assertEncrypted(
  baseUrl: string,
  allowInsecureHttp: boolean | undefined,
  getArgumentErrorClass: GetArgumentErrorClass,
): void {
  const { protocol, hostname } = new URL(baseUrl);
  if (protocol === "https:" || allowInsecureHttp || isLoopbackHostname(hostname)) return;
  throw new (getArgumentErrorClass())("baseUrl", "must start with https://, or with http:// on loopback", {
    hint: "To send credentials to this URL unencrypted, set allowInsecureHttp to true. Nothing was sent.",
  });
}

/** Throws for a value that is not a whole `Response`, which a test double of `fetch` may return. */
export function assertFetchedResponse(response: unknown, getArgumentErrorClass: GetArgumentErrorClass): void {
  const problem = describeMissingPart(response);
  if (problem === undefined) return;
  throw new (getArgumentErrorClass())("fetch", `must return a Response, but ${problem}`, {
    hint: "In a test, return `new Response(body, { status, headers })`, or use @mgmt/mock. A request may have been sent.",
  });
}

/** Features that every client uses and not every runtime has, as the README lists them. */
export const requiredFeatures = [
  "AbortController",
  "AbortSignal.prototype.throwIfAborted",
  "Object.hasOwn",
  "URL.canParse",
  "URLSearchParams",
  "performance.now",
] as const;

/** Throws for the first needed feature that the runtime lacks. */
export function assertRuntime(getArgumentErrorClass: GetArgumentErrorClass): void {
  const missingFeature = requiredFeatures.find(
    (name) => !name.split(".").reduce<unknown>((owner, part) => Reflect.get(Object(owner), part), globalThis),
  );
  if (missingFeature === undefined) return;
  throw new (getArgumentErrorClass())(missingFeature, "is missing in this runtime", {
    hint: "Use Node.js 20.19 or newer, a browser of 2024 or newer, or load a polyfill for it first. Nothing was sent.",
  });
}

/** Throws if there is no function to send with, neither in the options nor in the environment. */
export function assertFetch(fetch: unknown, getArgumentErrorClass: GetArgumentErrorClass): void {
  if (typeof (fetch ?? globalThis.fetch) === "function") return;
  throw new (getArgumentErrorClass())("fetch", "is missing, and this environment has none of its own", {
    hint: "Pass `fetch`, or `transport: nodeTransport()` of @mgmt/sdk/node. Nothing was sent.",
  });
}

/**
 * Returns the response of a custom transport.
 *
 * @throws the argument error for any value that is not a response.
 */
export function requireResponse<T>(response: T): T {
  if (
    typeof response !== "object" ||
    !response ||
    !Reflect.get(response, "status") ||
    !("headers" in response)
  )
    throw new TypeError("the transport returned no response");
  return response;
}

const describeMissingPart = (response: unknown): string | undefined => {
  if (typeof response !== "object" || response === null) return `it returned ${String(response)}`;
  const readPart = (name: string): unknown => Reflect.get(response, name);
  if (typeof readPart("status") !== "number") return "what it returned has no status";
  const headers = readPart("headers");
  if (typeof headers !== "object" || headers === null || !(Symbol.iterator in headers)) {
    return "what it returned has no Headers";
  }
  return typeof readPart("text") === "function" ? undefined : "what it returned has no text()";
};
