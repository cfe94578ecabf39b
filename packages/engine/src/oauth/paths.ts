/** Where the authorization server answers, below its origin (§ Authentication). */
export const oauthPaths = {
  authorize: "/authorize",
  token: "/token",
  revoke: "/revoke",
  metadata: "/.well-known/oauth-authorization-server",
  jwks: "/.well-known/jwks.json",
} as const;

export type OAuthEndpoint = keyof typeof oauthPaths;

const endpoints = new Map<string, OAuthEndpoint>([
  [oauthPaths.authorize, "authorize"],
  [oauthPaths.token, "token"],
  [oauthPaths.revoke, "revoke"],
  [oauthPaths.metadata, "metadata"],
  [oauthPaths.jwks, "jwks"],
]);

/** The endpoint at a path, without its query; undefined when there is none. */
export const oauthEndpointAt = (path: string): OAuthEndpoint | undefined => endpoints.get(path);
