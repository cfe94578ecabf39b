/** Describes the values that an option accepts besides undefined. */
export interface OptionRule {
  readonly accepts: (value: unknown) => boolean;
  /** Completes a sentence that starts with the name of the option. */
  readonly problem: string;
}

/** The rules of all options of something. */
export type OptionRules = Readonly<Record<string, OptionRule>>;

/** Whether a value is an object whose own fields are all that it has: a literal, or parsed JSON. */
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
const positiveNumberRule: OptionRule = {
  accepts: (value) => typeof value === "number",
  problem: "must be a number above 0",
};
const nonNegativeNumberRule: OptionRule = {
  accepts: (value) => typeof value === "number",
  problem: "must be a number above 0, or 0",
};
const anyValueRule: OptionRule = { accepts: () => true, problem: "" };

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
  // Not a controller, which is easily passed instead of its signal. Polyfills lack newer members, such as `reason`.
  accepts: (value) =>
    hasMemberOfType(value, "aborted", "boolean") &&
    hasMemberOfType(value, "addEventListener", "function") &&
    hasMemberOfType(value, "removeEventListener", "function"),
  problem: "must be an AbortSignal",
};

const retryRules = {
  timeoutMs: positiveNumberRule,
  maxRetries: nonNegativeNumberRule,
  maxRetryAfterMs: nonNegativeNumberRule,
  onRetry: functionRule,
  waitForApproval: {
    accepts: (value) => typeof value === "boolean" || isPlainObject(value),
    problem: "must be true, false or an object of options",
  },
} satisfies OptionRules;

const callRules = { signal: signalRule, ...retryRules, ...sendRules } satisfies OptionRules;

const clientRules = {
  baseUrl: stringRule,
  token: sendRules.token,
  fetch: functionRule,
  transport: sendRules.transport,
  headers: sendRules.headers,
  ...retryRules,
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
const approvalRules = {
  timeoutMs: positiveNumberRule,
  onProgress: functionRule,
  pollIntervalMs: positiveNumberRule,
  sleep: functionRule,
} satisfies OptionRules;
const waitRules = { signal: signalRule, ...approvalRules, ...sendRules } satisfies OptionRules;
const toArrayRules = { limit: nonNegativeNumberRule } satisfies OptionRules;
const requestRules = {
  method: stringRule,
  path: stringRule,
  pathParams: {
    // Methods of resources pass an array.
    accepts: (value) => isPlainObject(value) || Array.isArray(value),
    problem: "must be a plain object",
  },
  query: { accepts: (value) => typeof value === "object", problem: "must be an object" },
  body: anyValueRule,
} satisfies OptionRules;

const connectionStringRules = {
  pooled: booleanRule,
  format: stringRule,
} satisfies OptionRules;

/** The options of all functions of a login, because programs pass one object to several of them. They check most values themselves. */
const loginRules = {
  authUrl: anyValueRule,
  allowInsecureHttp: booleanRule,
  clientId: anyValueRule,
  clientSecret: stringRule,
  redirectUri: stringRule,
  scopes: {
    accepts: (value) => Array.isArray(value) && value.every((scope) => typeof scope === "string"),
    problem: "must be an array of strings",
  },
  attempt: { accepts: isPlainObject, problem: "must be the attempt that startLogin() returned" },
  callback: anyValueRule,
  store: {
    accepts: (value) =>
      hasMemberOfType(value, "read", "function") && hasMemberOfType(value, "write", "function"),
    problem: "must be a token store, an object with read() and write()",
  },
  open: functionRule,
  endpoints: { accepts: isPlainObject, problem: "must be a plain object" },
  fetch: functionRule,
  transport: sendRules.transport,
  timeoutMs: positiveNumberRule,
  userTimeoutMs: positiveNumberRule,
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
  silenceMs: positiveNumberRule,
} satisfies OptionRules;
const nodeTransportRules = {
  maxSockets: positiveNumberRule,
  ca: {
    accepts: (value) => [value].flat().every((item) => typeof item === "string" || ArrayBuffer.isView(item)),
    problem: "must be a certificate in PEM, or an array of certificates",
  },
  proxy: {
    accepts: (value) => typeof value === "string" || value === false,
    problem: "must be a URL, or false",
  },
  maxResponseBytes: positiveNumberRule,
} satisfies OptionRules;

/** The rules for the options of each function or object, by its name in messages. */
export const optionRules = {
  "a client": clientRules,
  "a call": callRules,
  withOptions: callRules,
  "a list": listRules,
  "an ensure": ensureRules,
  "a wait": waitRules,
  waitForApproval: approvalRules,
  toArray: toArrayRules,
  connectionString: connectionStringRules,
  "a login": loginRules,
  browserStore: browserStoreRules,
  cliLogin: cliLoginRules,
  withFileLock: withFileLockRules,
  nodeTransport: nodeTransportRules,
  "a request": requestRules,
} satisfies Readonly<Record<string, OptionRules>>;

/** Something that has options, as messages call it. */
export type OptionsOwner = keyof typeof optionRules;
