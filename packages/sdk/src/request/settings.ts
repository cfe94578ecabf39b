import { InvalidArgumentError } from "../errors/local-errors.js";
import { fetchTransport } from "../transport/fetch-transport.js";
import type { RequestOptions } from "./call.js";
import type { ClientOptions } from "./client-options.js";
import type { ClientSettings, Unchecked } from "./context.js";
import { validateTimeout } from "../deadlines/deadline.js";
import { selectDefinedEntries } from "./encode.js";
import { normalizeHeaders } from "./headers.js";
import { selectTimers } from "#limit";
import {
  assertEncrypted,
  areCertainlyValid,
  assertOptions,
  assertRuntime,
  findBaseUrlProblem,
} from "#type-checks";
import { readEnvironmentVariable } from "#environment";

/** Checks the options of a client. Throws `InvalidArgumentError`. */
export const resolveSettings = (
  clientOptions: ClientOptions = {},
  load: ClientSettings["load"],
): ClientSettings => {
  const { baseUrl, fetch, allowInsecureHttp, timers = selectTimers(globalThis), ...options } = clientOptions;
  assertRuntime(() => InvalidArgumentError);
  assertOptions(clientOptions, "a client", () => InvalidArgumentError);
  const normalizedBaseUrl = normalizeBaseUrl(baseUrl ?? readEnvironmentVariable("MGMT_BASE_URL") ?? "");
  assertEncrypted(normalizedBaseUrl, allowInsecureHttp, () => InvalidArgumentError);
  return mergeOptions(
    {
      baseUrl: normalizedBaseUrl,
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
  clientSettings: ClientSettings,
  options: RequestOptions,
  optionsOwner?: Unchecked[0],
): ClientSettings => {
  const { headers, load, middleware, signals, unchecked } = clientSettings;
  const { waitForApproval = clientSettings.waitForApproval } = options;
  const settings = {
    ...clientSettings,
    ...(Object.fromEntries(selectDefinedEntries(options)) as Partial<ClientSettings>),
  };
  return {
    ...settings,
    headers: { ...headers, ...normalizeHeaders(options.headers) },
    timeoutMs: validateTimeout(settings.timeoutMs),
    maxRetries: validateLimit("maxRetries", settings),
    maxRetryAfterMs: validateLimit("maxRetryAfterMs", settings),
    middleware: middleware.concat(options.middleware ?? []),
    // Options that are not checked yet must not replace the checks.
    load,
    unchecked: areCertainlyValid(options) ? unchecked : [...unchecked, [optionsOwner, options]],
    signals: signals.concat(options.signal ?? []),
    // True has no options of its own.
    waitForApproval: waitForApproval && { ...clientSettings.waitForApproval, ...(waitForApproval as object) },
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
  const normalizedUrl = URL.canParse(baseUrl) ? new URL(baseUrl).href.replace(/\/+$/, "") : "";
  const problem = findBaseUrlProblem(normalizedUrl, baseUrl);
  if (problem) throw new InvalidArgumentError("baseUrl", problem);
  return normalizedUrl;
};
