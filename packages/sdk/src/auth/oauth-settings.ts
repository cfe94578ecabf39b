import type { AuthorizationServer } from "oauth4webapi";
import { InvalidArgumentError } from "../errors/local-errors.js";
import { validateTimeout } from "../deadlines/deadline.js";
import type { Fetch } from "../transport/fetch.js";
import { fetchTransport } from "../transport/fetch-transport.js";
import { isLoopbackHostname } from "../checks/loopback.js";
import type { Transport } from "../transport/transport.js";
import { assertOptions } from "#type-checks";

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
   * URL of the authorization server, which is its issuer, exactly as the server names it: such as `https://auth.example.com`, or
   * with a slash at the end. Allows `http` only on loopback, unless `allowInsecureHttp` is true.
   */
  authUrl: string;
  /**
   * Whether `authUrl` and `endpoints` may be `http:` URLs of another machine, to which codes and tokens are then sent
   * unencrypted. Default: false.
   */
  allowInsecureHttp?: boolean | undefined;
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
  /** The options that the settings were read from. */
  readonly options: OAuthOptions;
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string | undefined;
  readonly transport: Transport;
  readonly timeoutMs: number;
  /** Whether the issuer or an endpoint has an `http:` URL. Requests over `http` are allowed then. */
  readonly usesHttp: boolean;
  /** Metadata of the server; `undefined` until it is requested. */
  server: Promise<AuthorizationServer> | AuthorizationServer | undefined;
}

/** Checks the options of a function of a login. Throws `InvalidArgumentError` for one that is not valid or does not exist. */
export const readOAuthSettings = (options: OAuthOptions): OAuthSettings => {
  assertOptions(options, "a login", () => InvalidArgumentError);
  const { clientId, clientSecret, endpoints, fetch, transport, timeoutMs = 15_000 } = options;
  const { allowInsecureHttp = false } = options;
  if (typeof clientId !== "string" || clientId === "") {
    throw new InvalidArgumentError("clientId", "must not be empty");
  }
  if (clientSecret === "") throw new InvalidArgumentError("clientSecret", "must not be empty");
  const authUrl = normalizeUrl("authUrl", options.authUrl, allowInsecureHttp);
  // Not normalized: issuers are compared as text, including a slash at the end (RFC 8414, section 3.3; RFC 9207, section 2.4).
  const issuer = options.authUrl;
  const server = endpoints && toAuthorizationServer(issuer, endpoints, allowInsecureHttp);
  return {
    options,
    issuer,
    clientId,
    clientSecret,
    transport: transport ?? fetchTransport(fetch),
    timeoutMs: validateTimeout(timeoutMs),
    // `normalizeUrl` has rejected `http` where it is not allowed.
    usesHttp: [authUrl, ...Object.values(server ?? {})].some((url) => /^http:/.test(String(url))),
    server,
  };
};

const toAuthorizationServer = (
  issuer: string,
  { authorization, token, revocation }: OAuthEndpoints,
  allowInsecureHttp: boolean,
): AuthorizationServer => {
  const validateEndpoint = (name: keyof OAuthEndpoints, endpoint: string): string =>
    normalizeUrl(`endpoints.${name}`, endpoint, allowInsecureHttp);
  return {
    issuer,
    authorization_endpoint: validateEndpoint("authorization", authorization),
    token_endpoint: validateEndpoint("token", token),
    ...(revocation !== undefined && { revocation_endpoint: validateEndpoint("revocation", revocation) }),
  };
};

/** Validates a URL that codes and tokens are sent to. Allows unencrypted `http` on loopback. */
const normalizeUrl = (name: string, text: string, allowInsecureHttp: boolean): string => {
  const throwInvalid = (problem: string, options?: { hint: string }): never => {
    throw new InvalidArgumentError(name, problem, options);
  };
  // The parser removes spaces and line breaks, and takes a backslash for a slash.
  if (/[\s\\]/.test(text) || !URL.canParse(text)) throwInvalid("is not an absolute URL");
  const url = new URL(text);
  const isHttpAllowed = allowInsecureHttp || isLoopbackHostname(url.hostname);
  if (url.protocol !== "https:" && !(url.protocol === "http:" && isHttpAllowed)) {
    throwInvalid("must start with https://, or with http:// on loopback", {
      hint: "Use https://, or set allowInsecureHttp. Nothing was sent.",
    });
  }
  if (url.username || url.password) throwInvalid("must not contain credentials");
  if (url.hash || (url.search && name === "authUrl")) throwInvalid("must not have a query or a fragment");
  return url.href;
};
