import { readErrorCode } from "@mgmt/internal/errors/error-code";
import * as oauth from "oauth4webapi";
import { InvalidArgumentError } from "../errors/local-errors.js";
import { throwNotLoaded } from "../errors/not-loaded.js";
import { sendOAuthRequest, hideSecrets, selectValidErrorFields } from "./oauth-request.js";
import { withDeadline } from "../deadlines/with-deadline.js";
import type { Credential } from "./credential.js";
import { authErrors } from "./errors.js";
import type { OAuthSettings } from "./oauth-settings.js";
import type { TokenStore } from "./token-store.js";

// The only file that imports the OAuth library. Other files import this one on demand, before the first request.

/** Values that the caller stores between `startLogin` and `finishLogin`. */
export interface LoginAttempt {
  state: string;
  codeVerifier: string;
  redirectUri: string;
  scopes: string[];
}

/** Returns the given endpoints or the server's metadata (RFC 8414), which is requested only once. Nothing is sent before it. */
const resolveServer = async (
  settings: OAuthSettings,
  signal: AbortSignal | undefined,
): Promise<oauth.AuthorizationServer> => {
  // Production builds for browsers have not checked them at start.
  const { assertOptions } = await import("#all-type-checks").catch(throwNotLoaded);
  assertOptions(settings.options, "a login", () => InvalidArgumentError);
  const discovery = (settings.server ??= sendOAuthRequest(
    { stage: "discovery", settings, signal, secrets: [] },
    async (options) => {
      const issuer = new URL(settings.issuer);
      const response = await oauth.discoveryRequest(issuer, { algorithm: "oauth2", ...options });
      const server = await oauth.processDiscoveryResponse(issuer, response).catch((error: unknown) => {
        const isOtherIssuer = readErrorCode(error) === oauth.JSON_ATTRIBUTE_COMPARISON;
        throw isOtherIssuer ? authErrors.otherMetadata(settings.issuer) : error;
      });
      assertSameOrigin(server, issuer);
      return server;
    },
  ));
  try {
    return await discovery;
  } catch (error) {
    settings.server = undefined;
    throw error;
  }
};

/** Metadata must not decide that codes and tokens are sent to another origin. */
const assertSameOrigin = (server: oauth.AuthorizationServer, issuer: URL): void => {
  for (const name of ["token_endpoint", "revocation_endpoint"] as const) {
    const endpoint = server[name];
    // The library reports an endpoint that is missing or is not a URL.
    if (endpoint === undefined || !URL.canParse(endpoint)) continue;
    if (new URL(endpoint).origin !== issuer.origin) throw authErrors.otherOrigin(server.issuer, name);
  }
};

const toOAuthClient = ({ clientId }: OAuthSettings): oauth.Client => ({ client_id: clientId });

/**
 * Prefers Basic authentication, which every server must support
 * ([RFC 6749, section 2.3.1](https://www.rfc-editor.org/rfc/rfc6749#section-2.3.1)).
 */
const createClientAuthentication = (
  { clientSecret }: OAuthSettings,
  { token_endpoint_auth_methods_supported: methods = ["client_secret_basic"] }: oauth.AuthorizationServer,
): oauth.ClientAuth => {
  if (clientSecret === undefined) return oauth.None();
  return methods.includes("client_secret_basic")
    ? oauth.ClientSecretBasic(clientSecret)
    : oauth.ClientSecretPost(clientSecret);
};

/** Starts a login. Returns the URL for the browser, and the attempt that `redeemCallback` requires. */
export const startAuthorization = async (
  settings: OAuthSettings,
  { redirectUri, scopes }: { redirectUri: string; scopes: string[] },
  signal: AbortSignal | undefined,
): Promise<{ url: string; attempt: LoginAttempt }> => {
  // TypeScript declares it for all pages.
  const { subtle }: { subtle?: SubtleCrypto } = Object(globalThis.crypto);
  if (!subtle) {
    throw new InvalidArgumentError("crypto.subtle", "is missing in this runtime", {
      hint: "Browsers have it on https:// pages and on localhost only. Nothing was sent.",
    });
  }
  const server = await resolveServer(settings, signal);
  const codeVerifier = oauth.generateRandomCodeVerifier();
  const state = oauth.generateRandomState();
  const url = requireAuthorizationEndpoint(server, settings);
  const parameters = {
    response_type: "code",
    client_id: settings.clientId,
    redirect_uri: redirectUri,
    scope: scopes.join(" "),
    state,
    code_challenge: await oauth.calculatePKCECodeChallenge(codeVerifier),
    code_challenge_method: "S256",
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return { url: url.href, attempt: { state, codeVerifier, redirectUri, scopes } };
};

const requireAuthorizationEndpoint = (
  { authorization_endpoint: endpoint = "" }: oauth.AuthorizationServer,
  { issuer, usesHttp }: OAuthSettings,
): URL => {
  const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined;
  if (url?.protocol === "https:" || (url?.protocol === "http:" && usesHttp)) return url;
  throw authErrors.requestFailed(
    "discovery",
    `The metadata of ${issuer} has no usable authorization_endpoint`,
    {},
  );
};

/** A login that is being finished, or was a moment ago. */
export interface Redemption {
  readonly credential: Promise<Credential>;
  /** The stores that have the credential. */
  readonly stores: WeakSet<TokenStore>;
  readonly signal: AbortSignal | undefined;
}

const redemptions = new Map<string, Redemption>();

/** How long a finished login is remembered, in milliseconds. */
const redemptionLifetimeMs = 30_000;

/**
 * Exchanges the callback of a login for a credential. A second call with the same attempt and callback, as from an effect that React runs
 * twice, shares the result of the first, because a code is valid once.
 *
 * @param callbackOrCode the query of the callback, or a bare code.
 */
export const redeemCallback = async (
  settings: OAuthSettings,
  attempt: LoginAttempt,
  callbackOrCode: URLSearchParams | { code: string },
  signal: AbortSignal | undefined,
): Promise<Redemption> => {
  const { issuer, clientId } = settings;
  const { state, codeVerifier, redirectUri } = attempt;
  const code = "code" in callbackOrCode ? callbackOrCode.code : callbackOrCode.toString();
  const key = JSON.stringify([issuer, clientId, state, codeVerifier, redirectUri, code]);
  const deleteRedemption = (redemption: Redemption): void => {
    if (redemptions.get(key) === redemption) redemptions.delete(key);
  };
  const earlierRedemption = redemptions.get(key);
  if (earlierRedemption) {
    try {
      const createTimeoutError = (): Error => authErrors.serverTimeout("The login", settings.timeoutMs);
      const limits = {
        signals: [signal],
        timeoutMs: Number.POSITIVE_INFINITY,
        onTimeout: createTimeoutError,
      };
      await withDeadline(limits, () => earlierRedemption.credential);
      return earlierRedemption;
    } catch (error) {
      // The first call was canceled, this one was not.
      if (!earlierRedemption.signal?.aborted || signal?.aborted) throw error;
      deleteRedemption(earlierRedemption);
    }
  }
  const redemption = {
    credential: redeemCode(settings, attempt, callbackOrCode, signal),
    stores: new WeakSet<TokenStore>(),
    signal,
  };
  redemptions.set(key, redemption);
  try {
    await redemption.credential;
  } catch (error) {
    deleteRedemption(redemption);
    throw error;
  }
  // In Node.js, it does not keep the process alive. Timers of browsers are numbers.
  const timer: { unref?: () => void } = Object(
    setTimeout(deleteRedemption, redemptionLifetimeMs, redemption),
  );
  timer.unref?.();
  return redemption;
};

const redeemCode = async (
  settings: OAuthSettings,
  { state, codeVerifier, redirectUri, scopes }: LoginAttempt,
  callbackOrCode: URLSearchParams | { code: string },
  signal: AbortSignal | undefined,
): Promise<Credential> => {
  const server = await resolveServer(settings, signal);
  const client = toOAuthClient(settings);
  const parameters =
    "code" in callbackOrCode
      ? new URLSearchParams({ code: callbackOrCode.code, state, iss: server.issuer })
      : callbackOrCode;
  const callback = validateCallback(server, client, parameters, state);
  const secrets = [callback.get("code") ?? "", codeVerifier, state, settings.clientSecret];
  const issuedAt = Date.now();
  const response = await sendOAuthRequest({ stage: "login", settings, signal, secrets }, async (options) =>
    assertBearer(
      await oauth.processAuthorizationCodeResponse(
        server,
        client,
        await oauth.authorizationCodeGrantRequest(
          server,
          client,
          createClientAuthentication(settings, server),
          callback,
          redirectUri,
          codeVerifier,
          options,
        ),
      ),
    ),
  );
  return toCredential(settings, response, { issuedAt, scopes });
};

/**
 * Returns the parameters of the callback, after `state` and `iss` ([RFC 9207](https://www.rfc-editor.org/rfc/rfc9207))
 * prove that it belongs to this attempt.
 */
const validateCallback = (
  server: oauth.AuthorizationServer,
  client: oauth.Client,
  parameters: URLSearchParams,
  state: string,
): URLSearchParams => {
  const readSingleParameter = (name: string): string | undefined => {
    const [value, ...otherValues] = parameters.getAll(name);
    if (otherValues.length > 0) throw authErrors.invalidCallback(`has more than one ${name}`);
    return value;
  };
  if (readSingleParameter("state") !== state) throw authErrors.otherState();
  const iss = readSingleParameter("iss");
  const isIssuerRequired = server.authorization_response_iss_parameter_supported === true;
  if (iss === undefined ? isIssuerRequired : iss !== server.issuer)
    throw authErrors.otherCallback(server.issuer);
  const { oauthError, description } = selectValidErrorFields(
    readSingleParameter("error"),
    readSingleParameter("error_description"),
  );
  if (oauthError !== undefined) {
    throw authErrors.loginDenied(oauthError, description && hideSecrets(description, [state]));
  }
  if (!readSingleParameter("code")) throw authErrors.invalidCallback("has no code");
  try {
    // The library repeats these checks and accepts only parameters that it has validated itself.
    return oauth.validateAuthResponse(server, client, parameters, state);
  } catch {
    throw authErrors.invalidCallback("is not a valid OAuth response");
  }
};

/** Refreshes a credential. Keeps the old refresh token or scopes if the response contains none. */
export const refresh = async (
  settings: OAuthSettings,
  credential: Credential & { refreshToken: string },
  signal: AbortSignal,
): Promise<Credential> => {
  const server = await resolveServer(settings, signal);
  const client = toOAuthClient(settings);
  const { refreshToken, accessToken, scopes } = credential;
  const secrets = [refreshToken, accessToken, settings.clientSecret];
  const issuedAt = Date.now();
  // The caller's signal sets the deadline. A late response is better than none, since the refresh token may be used up.
  const timeoutMs = Number.POSITIVE_INFINITY;
  const response = await sendOAuthRequest(
    { stage: "refresh", settings, signal, secrets, timeoutMs },
    async (options) =>
      assertBearer(
        await oauth.processRefreshTokenResponse(
          server,
          client,
          await oauth.refreshTokenGrantRequest(
            server,
            client,
            createClientAuthentication(settings, server),
            refreshToken,
            options,
          ),
        ),
      ),
  );
  return toCredential(settings, response, { issuedAt, scopes, refreshToken });
};

/**
 * Revokes the refresh token and all tokens issued from it, or the access token if there is no refresh token
 * ([RFC 7009](https://www.rfc-editor.org/rfc/rfc7009)).
 */
export const revoke = async (
  settings: OAuthSettings,
  { refreshToken, accessToken }: Credential,
  signal: AbortSignal | undefined,
): Promise<void> => {
  const server = await resolveServer(settings, signal);
  if (server.revocation_endpoint === undefined) return;
  const client = toOAuthClient(settings);
  const secrets = [refreshToken, accessToken, settings.clientSecret];
  await sendOAuthRequest({ stage: "revoke", settings, signal, secrets }, async (options) => {
    const authentication = createClientAuthentication(settings, server);
    const token = refreshToken ?? accessToken;
    const tokenTypeHint = refreshToken === undefined ? "access_token" : "refresh_token";
    await oauth.processRevocationResponse(
      await oauth.revocationRequest(server, client, authentication, token, {
        ...options,
        additionalParameters: { token_type_hint: tokenTypeHint },
      }),
    );
  });
};

const assertBearer = (response: oauth.TokenEndpointResponse): oauth.TokenEndpointResponse => {
  if (response.token_type !== "bearer") throw new Error("its token type is not bearer");
  return response;
};

const toCredential = (
  { issuer, clientId }: OAuthSettings,
  {
    access_token: accessToken,
    expires_in: lifetimeSeconds,
    refresh_token: newRefreshToken,
    scope,
  }: oauth.TokenEndpointResponse,
  previousCredential: Pick<Credential, "issuedAt" | "refreshToken" | "scopes"> & { issuedAt: number },
): Credential => {
  const refreshToken = newRefreshToken ?? previousCredential.refreshToken;
  const { issuedAt } = previousCredential;
  return {
    accessToken,
    ...(refreshToken !== undefined && { refreshToken }),
    issuedAt,
    ...(lifetimeSeconds !== undefined && { expiresAt: issuedAt + lifetimeSeconds * 1000 }),
    scopes:
      scope === undefined
        ? previousCredential.scopes
        : scope.split(" ").filter((scopeName) => scopeName !== ""),
    issuer,
    clientId,
  };
};
