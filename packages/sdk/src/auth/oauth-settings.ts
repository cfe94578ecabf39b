import type { AuthorizationServer } from "oauth4webapi";
import { InvalidArgumentError } from "../errors/local-errors.js";
import { readTimeout } from "../request/deadline.js";
import { type Fetch, fetchTransport } from "../transport/fetch-transport.js";
import { isLoopbackHostname } from "../transport/loopback.js";
import type { Transport } from "../transport/transport.js";
import { assertOptionNames } from "#type-checks";

/** Endpoints of an authorization server that publishes no metadata. */
export interface OAuthEndpoints {
  authorization: string;
  token: string;
  /** Default: none; `logout` then only clears the store. */
  revocation?: string | undefined;
}

/** Options that identify the client and the authorization server, and how to reach the server. */
export interface OAuthOptions {
  /**
   * URL of the authorization server, which is its issuer, such as `https://auth.example.com`. Allows `http` only on
   * loopback.
   */
  authUrl: string;
  clientId: string;
  /** Secret of a confidential client. Programs on a user's machine and pages in a browser cannot protect one. */
  clientSecret?: string | undefined;
  /** Default: the endpoints in the server's metadata ([RFC 8414](https://www.rfc-editor.org/rfc/rfc8414)). */
  endpoints?: OAuthEndpoints | undefined;
  /** Used instead of `globalThis.fetch`. */
  fetch?: Fetch | undefined;
  /** Used instead of `fetch`. */
  transport?: Transport | undefined;
  /** Timeout for requests to the authorization server, in milliseconds. Default: 15,000. */
  timeoutMs?: number | undefined;
}

/** Validated options with defaults applied. */
export interface OAuthSettings {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string | undefined;
  readonly transport: Transport;
  readonly timeoutMs: number;
  /** Whether `http` is allowed, because the issuer or an endpoint is on loopback. */
  readonly allowsHttp: boolean;
  /** Metadata of the server; `undefined` until it is requested. */
  server: Promise<AuthorizationServer> | AuthorizationServer | undefined;
}

/** The options of all functions of a login, because programs pass one object to several of them. */
const loginOptions: readonly string[] = [
  "authUrl",
  "clientId",
  "clientSecret",
  "redirectUri",
  "scopes",
  "attempt",
  "callback",
  "store",
  "open",
  "endpoints",
  "fetch",
  "transport",
  "timeoutMs",
  "userTimeoutMs",
  "signal",
  "onBackgroundError",
];

/** Checks the options of a function of a login. Throws `InvalidArgumentError` for one that is not valid or misspelled. */
export const readOAuthSettings = (options: OAuthOptions): OAuthSettings => {
  assertOptionNames(options, "a login", loginOptions, InvalidArgumentError);
  const { clientId, clientSecret, endpoints, fetch, transport, timeoutMs = 15_000 } = options;
  if (typeof clientId !== "string" || clientId === "") {
    throw new InvalidArgumentError("clientId", "must not be empty");
  }
  if (clientSecret === "") throw new InvalidArgumentError("clientSecret", "must not be empty");
  const issuer = readAddress("authUrl", options.authUrl).replace(/\/+$/, "");
  const server = endpoints && readEndpoints(issuer, endpoints);
  return {
    issuer,
    clientId,
    clientSecret,
    transport: transport ?? fetchTransport(fetch),
    timeoutMs: readTimeout(timeoutMs),
    // `readAddress` accepts `http` only on loopback.
    allowsHttp: [issuer, ...Object.values(server ?? {})].some((address) => /^http:/.test(String(address))),
    server,
  };
};

const readEndpoints = (issuer: string, endpoints: OAuthEndpoints): AuthorizationServer => {
  const { authorization, token, revocation } = endpoints;
  return {
    issuer,
    authorization_endpoint: readAddress("endpoints.authorization", authorization),
    token_endpoint: readAddress("endpoints.token", token),
    ...(revocation !== undefined && {
      revocation_endpoint: readAddress("endpoints.revocation", revocation),
    }),
  };
};

/** Validates a URL that codes and tokens are sent to. Allows unencrypted `http` only on loopback. */
const readAddress = (name: string, address: string): string => {
  const refuse = (problem: string): never => {
    throw new InvalidArgumentError(name, problem);
  };
  if (!URL.canParse(address)) refuse("is not an absolute URL");
  const url = new URL(address);
  if (url.protocol !== "https:" && !(url.protocol === "http:" && isLoopbackHostname(url.hostname))) {
    refuse("must start with https://, or with http:// on loopback");
  }
  if (url.username || url.password) refuse("must not contain credentials");
  if (url.hash || (url.search && name === "authUrl")) refuse("must not have a query or a fragment");
  return url.href;
};
