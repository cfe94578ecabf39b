import type { OAuthEndpoint } from "../request/endpoint.js";

/** Paths of the authorization server's endpoints, relative to its base URL. */
export const oauthPaths = {
  authorize: "/authorize",
  token: "/token",
  revoke: "/revoke",
  metadata: "/.well-known/oauth-authorization-server",
  jwks: "/.well-known/jwks.json",
} as const satisfies Record<OAuthEndpoint, string>;
