import { InvalidArgumentError } from "../errors/local-errors.js";
import { type Fetch, fetchTransport } from "../transport/fetch-transport.js";
import type { Transport } from "../transport/transport.js";
import type { ApprovalWaitOptions } from "../wait/wait-options.js";
import { readTimeout } from "./deadline.js";
import { headersOf } from "./headers.js";
import type { RequestOptions } from "./call.js";
import type { Middleware } from "./middleware.js";
import type { Token } from "./token.js";

/** How a client reaches the service. */
export interface ClientOptions {
  /** Address of the service, without `/v1`: `https://api.example.com`. A trailing slash does no harm. */
  baseUrl: string;
  /** Sent as `Authorization: Bearer …`. Left out, requests carry no credential. */
  token?: Token | undefined;
  /** Used instead of `globalThis.fetch`. */
  fetch?: Fetch | undefined;
  /** Used instead of `fetch`: `nodeTransport()` of `@mgmt/sdk/node`, or your own. */
  transport?: Transport | undefined;
  /** Sent with every request. */
  headers?: Record<string, string> | undefined;
  /** Milliseconds for one call: connection, body and every retry. Default: 60,000. `Infinity`: no deadline. */
  timeoutMs?: number | undefined;
  /**
   * How often a request is sent again when that is safe and may help. Default: 2; 0: never.
   *
   * Sent again are GET, PUT, PATCH and DELETE after a lost connection, 408, 429, 502, 503 and 504; a POST only when the
   * service surely did not take it: no connection, 429, or 503 with `Retry-After`. The pauses have full jitter: they are
   * drawn from zero to a bound that doubles from half a second to eight. `Retry-After` is waited for before. A DELETE that
   * meets a 404 after an attempt of unknown outcome has succeeded.
   */
  maxRetries?: number | undefined;
  /**
   * The longest `Retry-After`, in milliseconds, that is waited for; a longer one, or one past the deadline, throws the
   * error at once, with `retryAfter`. Default: 60,000.
   */
  maxRetryAfterMs?: number | undefined;
  /** Stand around every request that is sent, the first outermost. */
  middleware?: readonly Middleware[] | undefined;
  /**
   * Prints every request and its answer, to `console.error` or line by line to a function of yours. Tokens, passwords and
   * connection strings are redacted in headers, addresses and bodies. Default: false.
   */
  debug?: boolean | ((line: string) => void) | undefined;
  /**
   * For agents: whether a call that is answered 403 `approval_required` waits until the sponsor has approved it, and then
   * sends the same request again, one time (§ Agents and approvals). Such a call may also throw what `agentApprovals.wait`
   * throws, with the `ApprovalRequiredError` as the `cause`. Default: false; the `ApprovalRequiredError` is thrown at once.
   */
  waitForApproval?: boolean | ApprovalWaitOptions | undefined;
}

/** The options, checked once and with their defaults. */
export interface Settings {
  baseUrl: string;
  token: Token | undefined;
  transport: Transport;
  headers: Record<string, string>;
  timeoutMs: number;
  maxRetries: number;
  maxRetryAfterMs: number;
  middleware: readonly Middleware[];
  debug: boolean | ((line: string) => void);
  waitForApproval: ApprovalWaitOptions | undefined;
}

// In JavaScript the options may be forgotten; then the base URL is what is missed first.
const noOptions: ClientOptions = { baseUrl: "" };

export const readSettings = ({ baseUrl, fetch, headers, ...options } = noOptions): Settings =>
  settingsOf(
    {
      baseUrl: readBaseUrl(baseUrl),
      token: undefined,
      transport: fetchTransport(fetch),
      headers: headersOf(headers),
      timeoutMs: 60_000,
      maxRetries: 2,
      maxRetryAfterMs: 60_000,
      middleware: [],
      debug: false,
      waitForApproval: undefined,
    },
    options,
  );

/** The client's settings as one call changes them. Headers are merged when the request is written. */
export const settingsOf = (client: Settings, options: RequestOptions): Settings => {
  const { headers, middleware } = client;
  const said = Object.entries(options).filter(([, value]) => value !== undefined);
  // What the client does not have does no harm.
  const settings = { ...client, ...(Object.fromEntries(said) as Partial<Settings>) };
  return {
    ...settings,
    headers,
    timeoutMs: readTimeout(settings.timeoutMs),
    maxRetries: readLimit("maxRetries", settings.maxRetries),
    maxRetryAfterMs: readLimit("maxRetryAfterMs", settings.maxRetryAfterMs),
    middleware: middleware.concat(options.middleware ?? []),
    waitForApproval: readApprovalWait(options.waitForApproval, client.waitForApproval),
  };
};

export const readLimit = (name: string, limit: number): number => {
  if (!(limit >= 0)) throw new InvalidArgumentError(name, "must be a number above 0, or 0");
  return limit;
};

const readBaseUrl = (baseUrl: string): string => {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  const base = url?.href.replace(/\/+$/, "") ?? "";
  const problem =
    !url || !/^https?:/.test(base)
      ? "must be an absolute URL, https:// or http://"
      : url.username || url.password
        ? "must not carry a credential; use token"
        : url.search || url.hash || base.endsWith("/v1")
          ? "must not have a query or a fragment, nor end in /v1"
          : undefined;
  if (problem) throw new InvalidArgumentError("baseUrl", problem);
  return base;
};

/** How a call waits for its approval: its own word over the client's. Undefined: it does not wait. */
export const readApprovalWait = (
  call: boolean | ApprovalWaitOptions | undefined,
  client?: ApprovalWaitOptions,
): ApprovalWaitOptions | undefined => {
  if (call === undefined) return client;
  if (call === false) return undefined;
  const wait = { ...client, ...(call === true ? {} : call) };
  readTimeout(wait.timeoutMs ?? Infinity, "waitForApproval.timeoutMs");
  return wait;
};
