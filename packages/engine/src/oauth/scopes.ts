import { adminScope } from "../request/principal.js";
import { oauthErrors } from "./oauth-error.js";

/** The scope that gives a refresh token. */
export const offlineScope = "offline_access";

/** In the order in which they are shown. */
export const knownScopes: readonly string[] = [adminScope, offlineScope];

/** What a request without `scope` asks for (RFC 6749 §3.3). */
const defaultScopes: readonly string[] = [adminScope];

/** The scopes of a `scope` parameter, each once. Throws `invalid_scope` for an unknown one. */
export const readScopes = (scope: string | undefined): string[] => {
  if (scope === undefined) return [...defaultScopes];
  const wanted = scope.split(" ");
  if (!wanted.every((name) => knownScopes.includes(name))) throw oauthErrors.scope(knownScopes);
  return knownScopes.filter((name) => wanted.includes(name));
};

/** The scopes that a refresh asks for: those of the grant, or fewer. Throws `invalid_scope` for more. */
export const narrowScopes = (granted: readonly string[], scope: string | undefined): readonly string[] => {
  if (scope === undefined) return granted;
  const wanted = readScopes(scope);
  if (!wanted.every((name) => granted.includes(name))) throw oauthErrors.scopeWidened();
  return wanted;
};

/** Scopes as `scope` carries them. */
export const printScopes = (scopes: readonly string[]): string => scopes.join(" ");
