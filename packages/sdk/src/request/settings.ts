import { InvalidArgumentError } from "../errors/local-errors.js";
import { fetchTransport } from "../transport/fetch-transport.js";
import type { RequestOptions } from "./call.js";
import type { ClientOptions } from "./client-options.js";
import type { ClientSettings, Unchecked } from "./context.js";
import { readTimeout } from "../deadlines/deadline.js";
import { presentEntries } from "./encode.js";
import { normalizeHeaders } from "./headers.js";
import { reusing } from "#limit";
import { assertEncrypted, areUsual, assertOptions, assertRuntime, baseUrlProblem } from "#type-checks";
import { environmentVariable } from "#environment";

/** Checks the options of a client. Throws `InvalidArgumentError`. */
export const resolveSettings = (
  clientOptions: ClientOptions = {},
  load: ClientSettings["load"],
): ClientSettings => {
  const { baseUrl, fetch, allowInsecureHttp, timers = reusing(globalThis), ...options } = clientOptions;
  assertRuntime(() => InvalidArgumentError);
  assertOptions(clientOptions, "a client", () => InvalidArgumentError);
  const address = normalizeBaseUrl(baseUrl ?? environmentVariable("MGMT_BASE_URL") ?? "");
  assertEncrypted(address, allowInsecureHttp, () => InvalidArgumentError);
  return mergeOptions(
    {
      baseUrl: address,
      transport: fetchTransport(fetch),
      headers: {},
      timeoutMs: 60_000,
      maxRetries: 2,
      maxRetryAfterMs: 60_000,
      middleware: [],
      signals: [],
      timers,
      unchecked: [],
      load,
    },
    options,
    "a client",
  );
};

/** Returns the client's settings with the options of one call applied. */
export const mergeOptions = (
  client: ClientSettings,
  options: RequestOptions,
  optionsOwner?: Unchecked[0],
): ClientSettings => {
  const { headers, load, middleware, signals, unchecked } = client;
  const { waitForApproval = client.waitForApproval } = options;
  const settings = { ...client, ...(Object.fromEntries(presentEntries(options)) as Partial<ClientSettings>) };
  return {
    ...settings,
    headers: { ...headers, ...normalizeHeaders(options.headers) },
    timeoutMs: readTimeout(settings.timeoutMs),
    maxRetries: validateLimit("maxRetries", settings),
    maxRetryAfterMs: validateLimit("maxRetryAfterMs", settings),
    middleware: middleware.concat(options.middleware ?? []),
    // Options that are not checked yet must not replace the checks.
    load,
    unchecked: areUsual(options) ? unchecked : [...unchecked, [optionsOwner, options]],
    signals: signals.concat(options.signal ?? []),
    // True has no options of its own.
    waitForApproval: waitForApproval && { ...client.waitForApproval, ...(waitForApproval as object) },
  };
};

/** Throws `InvalidArgumentError` unless the limit is a number that is not negative. */
export const validateLimit = <Name extends string>(
  name: Name,
  { [name]: limit }: Readonly<Record<Name, number>>,
): number => {
  if (!(limit >= 0)) throw new InvalidArgumentError(name, "must be a number above 0, or 0");
  return limit;
};

const normalizeBaseUrl = (baseUrl: string): string => {
  const base = URL.canParse(baseUrl) ? new URL(baseUrl).href.replace(/\/+$/, "") : "";
  const problem = baseUrlProblem(base, baseUrl);
  if (problem) throw new InvalidArgumentError("baseUrl", problem);
  return base;
};
