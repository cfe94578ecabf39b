import { adminScope } from "../values/principal.js";
import { oauthErrors } from "./oauth-error.js";

/** The scope that requests a refresh token. */
export const offlineScope = "offline_access";

/** In the order in which they are displayed. */
export const knownScopes: readonly string[] = [adminScope, offlineScope];

/** The scopes of a request without `scope`. See https://www.rfc-editor.org/rfc/rfc6749#section-3.3. */
const defaultScopes: readonly string[] = [adminScope];

/** Parses a `scope` parameter and removes duplicates. Throws `invalid_scope` for an unknown scope. */
export const parseScopes = (scope: string | undefined): string[] => {
  if (scope === undefined) return [...defaultScopes];
  const requestedScopes = scope.split(" ");
  if (!requestedScopes.every((name) => knownScopes.includes(name)))
    throw oauthErrors.unknownScope(knownScopes);
  return knownScopes.filter((name) => requestedScopes.includes(name));
};

/**
 * Returns the scopes of a refresh request, which default to the scopes of the grant. Throws `invalid_scope` when the request contains a
 * scope that was not granted.
 */
export const narrowScopes = (
  grantedScopes: readonly string[],
  scope: string | undefined,
): readonly string[] => {
  if (scope === undefined) return grantedScopes;
  const requestedScopes = parseScopes(scope);
  if (!requestedScopes.every((name) => grantedScopes.includes(name))) throw oauthErrors.scopeWidened();
  return requestedScopes;
};

/** Formats scopes as the value of a `scope` parameter. */
export const formatScopes = (scopes: readonly string[]): string => scopes.join(" ");
