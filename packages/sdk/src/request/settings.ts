import { InvalidArgumentError } from "../errors/local-errors.js";
import { fetchTransport } from "../transport/fetch-transport.js";
import type { ApprovalWaitOptions } from "../wait/approval-wait-options.js";
import type { RequestOptions } from "./call.js";
import type { ClientOptions } from "./client-options.js";
import type { Settings } from "./context.js";
import { readTimeout } from "./deadline.js";
import { environmentVariable } from "./environment.js";
import { readHeaders } from "./headers.js";
import { assertEncrypted, assertOptions } from "#type-checks";

/** Checks the options of a client. Throws `InvalidArgumentError`. */
export const readSettings = (given: ClientOptions = {}, load: Settings["load"]): Settings => {
  assertOptions(given, "client", InvalidArgumentError);
  const { baseUrl, fetch, headers, ...options } = given;
  const address = readBaseUrl(baseUrl ?? environmentVariable("MGMT_BASE_URL") ?? "");
  assertEncrypted(address, given, InvalidArgumentError);
  return mergeOptions(
    {
      baseUrl: address,
      token: undefined,
      transport: fetchTransport(fetch),
      headers: readHeaders(headers),
      timeoutMs: 60_000,
      maxRetries: 2,
      maxRetryAfterMs: 60_000,
      middleware: [],
      debug: false,
      waitForApproval: undefined,
      load,
    },
    options,
  );
};

/** Returns the client's settings with the options of one call applied. Headers are merged when the request is encoded. */
export const mergeOptions = (client: Settings, options: RequestOptions): Settings => {
  const { headers, middleware, load } = client;
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  // Unknown names are ignored.
  const settings = { ...client, ...(Object.fromEntries(given) as Partial<Settings>) };
  return {
    ...settings,
    headers,
    load,
    timeoutMs: readTimeout(settings.timeoutMs),
    maxRetries: readLimit("maxRetries", settings.maxRetries),
    maxRetryAfterMs: readLimit("maxRetryAfterMs", settings.maxRetryAfterMs),
    middleware: middleware.concat(options.middleware ?? []),
    waitForApproval: readApprovalWait(options.waitForApproval, client.waitForApproval),
  };
};

/** Throws `InvalidArgumentError` unless the limit is a number that is not negative. */
export const readLimit = (name: string, limit: number): number => {
  if (!(limit >= 0)) throw new InvalidArgumentError(name, "must be a number above 0, or 0");
  return limit;
};

const readBaseUrl = (baseUrl: string): string => {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  const base = url?.href.replace(/\/+$/, "") ?? "";
  const problem = !baseUrl
    ? "must be passed or set in MGMT_BASE_URL"
    : !url || !/^https?:/.test(base)
      ? "must be an absolute URL, https:// or http://"
      : url.username || url.password
        ? "must not contain a credential; use token"
        : url.search || url.hash || base.endsWith("/v1")
          ? "must not have a query or a fragment, nor end in /v1"
          : undefined;
  if (problem) throw new InvalidArgumentError("baseUrl", problem);
  return base;
};

/** How a call waits for its approval; undefined when it does not. The call's option overrides the client's. */
const readApprovalWait = (
  call: boolean | ApprovalWaitOptions | undefined,
  client: ApprovalWaitOptions | undefined,
): ApprovalWaitOptions | undefined => {
  if (call === undefined) return client;
  if (call === false) return undefined;
  const wait = { ...client, ...(call === true ? {} : call) };
  readTimeout(wait.timeoutMs ?? Infinity, "waitForApproval.timeoutMs");
  return wait;
};
