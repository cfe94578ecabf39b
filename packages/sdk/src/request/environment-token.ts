import { malformedTokenError, missingTokenError } from "../errors/token-problems.js";
import { isSendableToken } from "./authorize.js";
import type { ClientSettings } from "./context.js";
import { readEnvironmentVariable } from "./environment.js";

/**
 * Returns `MGMT_TOKEN` for a call that has no token of its own. It is not used for another service than `MGMT_BASE_URL`, if that is set
 * too. `unusable` is the token that the call would have sent instead. Throws `TokenError`.
 */
export const readEnvironmentToken = ({ token, baseUrl }: ClientSettings, unusableToken: unknown): string => {
  if (token !== undefined || unusableToken !== undefined) throw malformedTokenError();
  const environmentBaseUrl = readEnvironmentVariable("MGMT_BASE_URL");
  if (environmentBaseUrl && !isSameUrl(environmentBaseUrl, baseUrl)) throw missingTokenError(true);
  const tokenInEnvironment = readEnvironmentVariable("MGMT_TOKEN");
  if (!tokenInEnvironment) throw missingTokenError(false);
  if (!isSendableToken(tokenInEnvironment)) throw malformedTokenError();
  return tokenInEnvironment;
};

const isSameUrl = (url: string, baseUrl: string): boolean =>
  URL.canParse(url) && new URL(url).href.replace(/\/+$/, "") === baseUrl;
