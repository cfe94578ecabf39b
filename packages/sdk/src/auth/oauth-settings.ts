import type { AuthorizationServer } from "oauth4webapi";
import { InvalidArgumentError } from "../errors/local-errors.js";
import { readTimeout } from "../request/deadline.js";
import { type Fetch, fetchTransport } from "../transport/fetch-transport.js";
import { isLoopbackHostname } from "../transport/loopback.js";
import type { Transport } from "../transport/transport.js";

/** Addresses of an authorization server without metadata. */
export interface OAuthEndpoints {
  authorization: string;
  token: string;
  /** Left out, `logout` only forgets. */
  revocation?: string | undefined;
}

/** Which client asks which authorization server, and how. */
export interface OAuthOptions {
  /** Address of the authorization server, which is its issuer: `https://auth.example.com`. `http` on loopback only. */
  authUrl: string;
  clientId: string;
  /** Of a confidential client. Programs on a user's machine and pages in a browser can keep none. */
  clientSecret?: string | undefined;
  /** Default: those of the server's metadata (RFC 8414). */
  endpoints?: OAuthEndpoints | undefined;
  /** Used instead of `globalThis.fetch`. */
  fetch?: Fetch | undefined;
  /** Used instead of `fetch`. */
  transport?: Transport | undefined;
  /** Milliseconds to wait for the authorization server. Default: 15,000. */
  timeoutMs?: number | undefined;
}

/** The options, checked once and with their defaults. */
export interface OAuthSettings {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string | undefined;
  readonly transport: Transport;
  readonly timeoutMs: number;
  /** Something of the server is on this machine, where `http` does no harm. */
  readonly allowsHttp: boolean;
  /** What is known of the server; undefined until its metadata was asked for. */
  server: Promise<AuthorizationServer> | AuthorizationServer | undefined;
}

export const readOAuthSettings = (options: OAuthOptions): OAuthSettings => {
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
    // Each of them was found to be on loopback then.
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

/** Codes and tokens go there: in the clear they may only go to this very machine. */
const readAddress = (name: string, address: string): string => {
  const refuse = (problem: string): never => {
    throw new InvalidArgumentError(name, problem);
  };
  if (!URL.canParse(address)) refuse("is not an absolute URL");
  const url = new URL(address);
  if (url.protocol !== "https:" && !(url.protocol === "http:" && isLoopbackHostname(url.hostname))) {
    refuse("must begin with https://, or on loopback with http://");
  }
  if (url.username || url.password) refuse("must not carry a credential");
  if (url.hash || (url.search && name === "authUrl")) refuse("must not have a query or a fragment");
  return url.href;
};
