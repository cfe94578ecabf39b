import type { OAuthEndpoint } from "../context/endpoint.js";
import type { SigningKeyJwk } from "../values/signing-key-jwk.js";
import { knownScopes } from "./scopes.js";

/** Paths of the authorization server's endpoints, relative to its base URL. */
export const oauthPaths = {
  authorize: "/authorize",
  token: "/token",
  revoke: "/revoke",
  metadata: "/.well-known/oauth-authorization-server",
  jwks: "/.well-known/jwks.json",
} as const satisfies Record<OAuthEndpoint, string>;

const clientAuthenticationMethods = ["none", "client_secret_basic", "client_secret_post"];

/** Returns the metadata of the authorization server. See https://www.rfc-editor.org/rfc/rfc8414#section-2. */
export const buildMetadata = (issuer: string): object => ({
  issuer,
  authorization_endpoint: issuer + oauthPaths.authorize,
  token_endpoint: issuer + oauthPaths.token,
  revocation_endpoint: issuer + oauthPaths.revoke,
  jwks_uri: issuer + oauthPaths.jwks,
  scopes_supported: knownScopes,
  response_types_supported: ["code"],
  response_modes_supported: ["query"],
  grant_types_supported: ["authorization_code", "refresh_token"],
  code_challenge_methods_supported: ["S256"],
  token_endpoint_auth_methods_supported: clientAuthenticationMethods,
  revocation_endpoint_auth_methods_supported: clientAuthenticationMethods,
  authorization_response_iss_parameter_supported: true,
});

/**
 * Returns the public keys that verify access tokens, as a JWK set. See
 * https://www.rfc-editor.org/rfc/rfc7517.
 */
export const buildPublicKeySet = (keys: readonly SigningKeyJwk[]): object => ({
  keys: keys.map(({ kid, kty, crv, x, y }) => ({ kid, kty, crv, x, y, alg: "ES256", use: "sig" })),
});
