import { InvalidArgumentError } from "../errors/local-errors.js";
import { type Fetch, fetchTransport } from "../transport/fetch-transport.js";
import type { Transport } from "../transport/transport.js";
import type { ApprovalWaitOptions } from "../wait/wait-options.js";
import { readTimeout } from "./deadline.js";
import { headersOf } from "./headers.js";
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
  /** Milliseconds for one call, its body included. Default: 60,000. `Infinity`: no deadline. */
  timeoutMs?: number | undefined;
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
  waitForApproval: ApprovalWaitOptions | undefined;
}

export const readSettings = (options: ClientOptions): Settings => ({
  baseUrl: readBaseUrl(options.baseUrl),
  token: options.token,
  transport: options.transport ?? fetchTransport(options.fetch),
  headers: headersOf(options.headers),
  timeoutMs: readTimeout(options.timeoutMs ?? 60_000),
  waitForApproval: readApprovalWait(options.waitForApproval),
});

const readBaseUrl = (baseUrl: string): string => {
  const refuse = (problem: string): never => {
    throw new InvalidArgumentError("baseUrl", problem);
  };
  const url = parseUrl(baseUrl) ?? refuse("is not an absolute URL");
  if (!/^https?:$/.test(url.protocol)) refuse("must begin with https:// or http://");
  if (url.username || url.password) refuse("must not carry a credential; use token");
  if (url.search || url.hash) refuse("must not have a query or a fragment");
  const base = url.href.replace(/\/+$/, "");
  return base.endsWith("/v1") ? refuse("must not end in /v1: the paths begin with it") : base;
};

const parseUrl = (text: string): URL | undefined => {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
};

/** How a call waits for its approval: its own word over the client's. Undefined: it does not wait. */
export const readApprovalWait = (
  call: boolean | ApprovalWaitOptions | undefined,
  client?: ApprovalWaitOptions,
): ApprovalWaitOptions | undefined => {
  if (call === undefined) return client;
  if (call === false) return undefined;
  const wait = call === true ? { ...client } : { ...client, ...call };
  if (wait.timeoutMs !== undefined) readTimeout(wait.timeoutMs, "waitForApproval.timeoutMs");
  return wait;
};
