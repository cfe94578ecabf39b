/** Describes the values that an option accepts besides undefined. */
export interface Rule {
  readonly accepts: (value: unknown) => boolean;
  /** Completes a sentence that starts with the name of the option. */
  readonly problem: string;
}

/** The rules of all options of something. */
export type Rules = Readonly<Record<string, Rule>>;

/** Whether a value is an object whose own fields are all that it has: a literal, or parsed JSON. */
export const isPlainObject = (value: unknown): value is Record<string, unknown> => {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  // The prototype of literals from another realm is not the `Object.prototype` of this one.
  return prototype === null || Object.getPrototypeOf(prototype) === null;
};

const isFunction = (value: unknown): boolean => typeof value === "function";
const isObjectWith = (value: unknown, name: string, type: string): boolean =>
  typeof value === "object" && value !== null && typeof Reflect.get(value, name) === type;

const text: Rule = { accepts: (value) => typeof value === "string", problem: "must be a string" };
const flag: Rule = { accepts: (value) => typeof value === "boolean", problem: "must be true or false" };
const work: Rule = { accepts: isFunction, problem: "must be a function" };
const duration: Rule = {
  accepts: (value) => typeof value === "number",
  problem: "must be a number above 0",
};
const limit: Rule = {
  accepts: (value) => typeof value === "number",
  problem: "must be a number above 0, or 0",
};
const anything: Rule = { accepts: () => true, problem: "" };

const sending = {
  headers: {
    accepts: isPlainObject,
    problem: "must be a plain object, such as Object.fromEntries(headers)",
  },
  token: {
    accepts: (value) => typeof value === "string" || isFunction(value) || value === false,
    problem: "must be a string, a function or false",
  },
  transport: {
    accepts: (value) => isObjectWith(value, "send", "function"),
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
} satisfies Rules;

const signal: Rule = {
  // Not a controller, which is easily passed instead of its signal. Polyfills lack newer members, such as `reason`.
  accepts: (value) =>
    isObjectWith(value, "aborted", "boolean") &&
    isObjectWith(value, "addEventListener", "function") &&
    isObjectWith(value, "removeEventListener", "function"),
  problem: "must be an AbortSignal",
};

const retrying = {
  timeoutMs: duration,
  maxRetries: limit,
  maxRetryAfterMs: limit,
  onRetry: work,
  waitForApproval: {
    accepts: (value) => typeof value === "boolean" || isPlainObject(value),
    problem: "must be true, false or an object of options",
  },
} satisfies Rules;

const calling = { signal, ...retrying, ...sending } satisfies Rules;

const client = {
  baseUrl: text,
  token: sending.token,
  fetch: work,
  transport: sending.transport,
  headers: sending.headers,
  ...retrying,
  middleware: sending.middleware,
  debug: sending.debug,
  allowInsecureHttp: flag,
  timers: {
    accepts: (value) =>
      isObjectWith(value, "setTimeout", "function") &&
      isObjectWith(value, "clearTimeout", "function") &&
      isObjectWith(value, "performance", "object"),
    problem: "must be an object with setTimeout(), clearTimeout() and performance",
  },
} satisfies Rules;

const list = { ...calling, prefetch: flag } satisfies Rules;
const ensure = {
  ...calling,
  credentials: flag,
  dryRun: flag,
} satisfies Rules;
const approval = {
  timeoutMs: duration,
  onProgress: work,
  pollIntervalMs: duration,
  sleep: work,
} satisfies Rules;
const wait = { signal, ...approval, ...sending } satisfies Rules;
const array = { limit } satisfies Rules;
const request = {
  method: text,
  path: text,
  pathParams: {
    // Methods of resources pass an array.
    accepts: (value) => isPlainObject(value) || Array.isArray(value),
    problem: "must be a plain object",
  },
  query: { accepts: (value) => typeof value === "object", problem: "must be an object" },
  body: anything,
} satisfies Rules;

const connectionString = {
  pooled: flag,
  format: text,
} satisfies Rules;

/** The options of all functions of a login, because programs pass one object to several of them. They check most values themselves. */
const login = {
  authUrl: anything,
  allowInsecureHttp: flag,
  clientId: anything,
  clientSecret: text,
  redirectUri: text,
  scopes: {
    accepts: (value) => Array.isArray(value) && value.every((scope) => typeof scope === "string"),
    problem: "must be an array of strings",
  },
  attempt: { accepts: isPlainObject, problem: "must be the attempt that startLogin() returned" },
  callback: anything,
  store: {
    accepts: (value) => isObjectWith(value, "read", "function") && isObjectWith(value, "write", "function"),
    problem: "must be a token store, an object with read() and write()",
  },
  open: work,
  endpoints: { accepts: isPlainObject, problem: "must be a plain object" },
  fetch: work,
  transport: sending.transport,
  timeoutMs: duration,
  userTimeoutMs: duration,
  signal,
  onBackgroundError: work,
} satisfies Rules;

const browserStore = {
  key: text,
  storage: {
    accepts: (value) =>
      ["getItem", "setItem", "removeItem"].every((method) => isObjectWith(value, method, "function")),
    problem: "must be a Storage, such as localStorage",
  },
} satisfies Rules;
const cliLogin = { profile: text, allowInsecureHttp: flag, program: text } satisfies Rules;
const withFileLock = {
  signal: { ...signal, accepts: (value) => isObjectWith(value, "throwIfAborted", "function") },
  silenceMs: duration,
} satisfies Rules;
const nodeTransport = {
  maxSockets: duration,
  ca: {
    accepts: (value) => [value].flat().every((item) => typeof item === "string" || ArrayBuffer.isView(item)),
    problem: "must be a certificate in PEM, or an array of certificates",
  },
  proxy: {
    accepts: (value) => typeof value === "string" || value === false,
    problem: "must be a URL, or false",
  },
  maxResponseBytes: duration,
} satisfies Rules;

/** The rules for the options of each function or object, by its name in messages. */
export const optionRules = {
  "a client": client,
  "a call": calling,
  withOptions: calling,
  "a list": list,
  "an ensure": ensure,
  "a wait": wait,
  waitForApproval: approval,
  toArray: array,
  connectionString,
  "a login": login,
  browserStore,
  cliLogin,
  withFileLock,
  nodeTransport,
  "a request": request,
} satisfies Readonly<Record<string, Rules>>;

/** Something that has options, as messages call it. */
export type OptionsOf = keyof typeof optionRules;
