/** Describes the type of an option, which may also be undefined. The range of a number is checked where the number is used. */
export interface OptionRule {
  /** Returns whether a value has the type. */
  readonly accepts: (value: unknown) => boolean;
  /** What is wrong with any other value, as the end of a sentence that begins with the name of the option: `must be a string`. */
  readonly problem: string;
}

/** The rules of all options of a function or an object, by name. */
export type OptionRules = Readonly<Record<string, OptionRule>>;

/** Returns whether a value is an object literal or parsed JSON, and not an instance of a class. */
export const isPlainObject = (value: unknown): value is Record<string, unknown> => {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  // The prototype of literals from another realm is not the `Object.prototype` of this one.
  return prototype === null || Object.getPrototypeOf(prototype) === null;
};

const isFunction = (value: unknown): boolean => typeof value === "function";
const hasMemberOfType = (value: unknown, name: string, type: string): boolean =>
  typeof value === "object" && value !== null && typeof Reflect.get(value, name) === type;

const stringRule: OptionRule = { accepts: (value) => typeof value === "string", problem: "must be a string" };
const booleanRule: OptionRule = {
  accepts: (value) => typeof value === "boolean",
  problem: "must be true or false",
};
const functionRule: OptionRule = { accepts: isFunction, problem: "must be a function" };
/**
 * Returns the rule of a number.
 *
 * @param problem contains the range, so that the message is the same as the message of the later range check.
 */
const createNumberRule = (problem: string): OptionRule => ({
  accepts: (value) => typeof value === "number",
  problem,
});
const numberAboveZeroText = "must be a number above 0";
const numberFromZeroText = "must be a number above 0, or 0";
/** The rule of an option that is checked by the code that uses it. */
const uncheckedRule: OptionRule = { accepts: () => true, problem: "" };

/** Options of a call about the request that it sends. */
const sendRules = {
  headers: {
    accepts: isPlainObject,
    problem: "must be a plain object, such as Object.fromEntries(headers)",
  },
  token: {
    accepts: (value) => typeof value === "string" || isFunction(value) || value === false,
    problem: "must be a string, a function or false",
  },
  transport: {
    accepts: (value) => hasMemberOfType(value, "send", "function"),
    problem: "must be an object with a send() method",
  },
  middleware: {
    accepts: (value) => [value].flat().every(isFunction),
    problem: "must be an array of functions",
  },
  debug: {
    accepts: (value) => typeof value === "boolean" || isFunction(value),
    problem: "must be true, false or a function",
  },
} satisfies OptionRules;

const signalRule: OptionRule = {
  // Rejects an AbortController, which is easily passed by mistake. Does not require newer members, such as `reason`, which polyfills lack.
  accepts: (value) =>
    hasMemberOfType(value, "aborted", "boolean") &&
    hasMemberOfType(value, "addEventListener", "function") &&
    hasMemberOfType(value, "removeEventListener", "function"),
  problem: "must be an AbortSignal",
};

/** Options of a call about its attempts. */
const attemptRules = {
  timeoutMs: createNumberRule(numberAboveZeroText),
  maxRetries: createNumberRule(numberFromZeroText),
  maxRetryAfterMs: createNumberRule(numberFromZeroText),
  onRetry: functionRule,
  waitForApproval: {
    accepts: (value) => typeof value === "boolean" || isPlainObject(value),
    problem: "must be true, false or an object of options",
  },
} satisfies OptionRules;

const callRules = { signal: signalRule, ...attemptRules, ...sendRules } satisfies OptionRules;

const clientRules = {
  baseUrl: stringRule,
  token: sendRules.token,
  fetch: functionRule,
  transport: sendRules.transport,
  headers: sendRules.headers,
  ...attemptRules,
  middleware: sendRules.middleware,
  debug: sendRules.debug,
  allowInsecureHttp: booleanRule,
  timers: {
    accepts: (value) =>
      hasMemberOfType(value, "setTimeout", "function") &&
      hasMemberOfType(value, "clearTimeout", "function") &&
      hasMemberOfType(value, "performance", "object"),
    problem: "must be an object with setTimeout(), clearTimeout() and performance",
  },
} satisfies OptionRules;

const listRules = { ...callRules, prefetch: booleanRule } satisfies OptionRules;
const ensureRules = {
  ...callRules,
  credentials: booleanRule,
  dryRun: booleanRule,
} satisfies OptionRules;
const waitForApprovalRules = {
  timeoutMs: createNumberRule(numberAboveZeroText),
  onProgress: functionRule,
  pollIntervalMs: createNumberRule(numberAboveZeroText),
  sleep: functionRule,
} satisfies OptionRules;
const waitFunctionRules = { signal: signalRule, ...waitForApprovalRules, ...sendRules } satisfies OptionRules;
const toArrayRules = { limit: createNumberRule(numberFromZeroText) } satisfies OptionRules;
/** The fields of a call by path, which are not options. */
const callFieldRules = {
  method: stringRule,
  path: stringRule,
  pathParams: {
    // Methods of resources pass an array.
    accepts: (value) => isPlainObject(value) || Array.isArray(value),
    problem: "must be a plain object",
  },
  query: { accepts: (value) => typeof value === "object", problem: "must be an object" },
  body: uncheckedRule,
} satisfies OptionRules;

const connectionStringRules = {
  pooled: booleanRule,
  format: stringRule,
} satisfies OptionRules;

/** The options of all functions of a login, because programs pass one object to several of them. They check most values themselves. */
const loginRules = {
  authUrl: uncheckedRule,
  allowInsecureHttp: booleanRule,
  clientId: uncheckedRule,
  clientSecret: stringRule,
  redirectUri: stringRule,
  scopes: {
    accepts: (value) => Array.isArray(value) && value.every((scope) => typeof scope === "string"),
    problem: "must be an array of strings",
  },
  attempt: { accepts: isPlainObject, problem: "must be the attempt that startLogin() returned" },
  callback: uncheckedRule,
  store: {
    accepts: (value) =>
      hasMemberOfType(value, "read", "function") && hasMemberOfType(value, "write", "function"),
    problem: "must be a token store, an object with read() and write()",
  },
  open: functionRule,
  endpoints: { accepts: isPlainObject, problem: "must be a plain object" },
  fetch: functionRule,
  transport: sendRules.transport,
  timeoutMs: createNumberRule(numberAboveZeroText),
  userTimeoutMs: createNumberRule(numberAboveZeroText),
  signal: signalRule,
  onBackgroundError: functionRule,
} satisfies OptionRules;

const browserStoreRules = {
  key: stringRule,
  storage: {
    accepts: (value) =>
      ["getItem", "setItem", "removeItem"].every((method) => hasMemberOfType(value, method, "function")),
    problem: "must be a Storage, such as localStorage",
  },
} satisfies OptionRules;
const cliLoginRules = {
  profile: stringRule,
  allowInsecureHttp: booleanRule,
  program: stringRule,
} satisfies OptionRules;
const withFileLockRules = {
  signal: { ...signalRule, accepts: (value) => hasMemberOfType(value, "throwIfAborted", "function") },
  silenceMs: createNumberRule(numberAboveZeroText),
} satisfies OptionRules;
const nodeTransportRules = {
  maxSockets: createNumberRule(numberAboveZeroText),
  ca: {
    accepts: (value) =>
      [value].flat().every((element) => typeof element === "string" || ArrayBuffer.isView(element)),
    problem: "must be a certificate in PEM, or an array of certificates",
  },
  proxy: {
    accepts: (value) => typeof value === "string" || value === false,
    problem: "must be a URL, or false",
  },
  maxResponseBytes: createNumberRule(numberAboveZeroText),
} satisfies OptionRules;

/** The rules for the options of each function or object, by its name in messages. */
export const optionRules = {
  "a client": clientRules,
  "a call": callRules,
  withOptions: callRules,
  "a list": listRules,
  "an ensure": ensureRules,
  "a wait": waitFunctionRules,
  waitForApproval: waitForApprovalRules,
  toArray: toArrayRules,
  connectionString: connectionStringRules,
  "a login": loginRules,
  browserStore: browserStoreRules,
  cliLogin: cliLoginRules,
  withFileLock: withFileLockRules,
  nodeTransport: nodeTransportRules,
  "a request": callFieldRules,
} satisfies Readonly<Record<string, OptionRules>>;

/** Something that has options, as messages call it. */
export type OptionsOwner = keyof typeof optionRules;
