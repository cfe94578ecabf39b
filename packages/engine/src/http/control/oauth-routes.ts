import * as controlErrors from "../../control/control-errors.js";
import type { ControlRoutes, Fields } from "./fields.js";
import type { ClientRegistration, ConsentOptions } from "../../control/oauth-control.js";

const getStrings = (fields: Fields, names: readonly string[]): Record<string, string> => {
  const texts: Record<string, string> = {};
  for (const name of names) {
    const value = fields[name];
    if (value === undefined) continue;
    if (typeof value !== "string") throw controlErrors.invalidField(name, "must be a string");
    texts[name] = value;
  }
  return texts;
};

const parseRegistration = (fields: Fields): ClientRegistration => {
  const { redirectUris, confidential } = fields;
  if (!Array.isArray(redirectUris) || !redirectUris.every((uri) => typeof uri === "string")) {
    throw controlErrors.invalidField("redirectUris", "must be an array of strings");
  }
  if (confidential !== undefined && typeof confidential !== "boolean") {
    throw controlErrors.invalidField("confidential", "must be true or false");
  }
  return {
    ...getStrings(fields, ["name", "secret", "id"]),
    redirectUris,
    ...(confidential !== undefined && { confidential }),
  };
};

const parseConsentOptions = (fields: Fields): ConsentOptions =>
  getStrings(fields, [
    "url",
    "client",
    "redirectUri",
    "scope",
    "state",
    "codeChallenge",
    "codeChallengeMethod",
    "user",
    "workspace",
  ]);

/** The control routes for clients and logins of the authorization server. */
export const oauthRoutes: ControlRoutes = {
  "POST /oauth/clients": ({ oauth }, _path, fields) => oauth.registerClient(parseRegistration(fields)),
  "POST /oauth/consent": ({ oauth }, _path, fields) => oauth.consent(parseConsentOptions(fields)),
  "POST /oauth/deny": ({ oauth }, _path, fields) => oauth.deny(parseConsentOptions(fields)),
};
