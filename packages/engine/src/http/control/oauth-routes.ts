import { controlErrors } from "../../control/control-error.js";
import type { ControlRoutes, Fields } from "./fields.js";
import type { ClientRegistration, ConsentOptions } from "../../control/oauth-control.js";

const texts = (fields: Fields, names: readonly string[]): Record<string, string> => {
  const texts: Record<string, string> = {};
  for (const name of names) {
    const value = fields[name];
    if (value === undefined) continue;
    if (typeof value !== "string") throw controlErrors.invalidField(name, "must be a string");
    texts[name] = value;
  }
  return texts;
};

const readRegistration = (fields: Fields): ClientRegistration => {
  const { redirectUris, confidential } = fields;
  if (!Array.isArray(redirectUris) || !redirectUris.every((uri) => typeof uri === "string")) {
    throw controlErrors.invalidField("redirectUris", "must be an array of strings");
  }
  if (confidential !== undefined && typeof confidential !== "boolean") {
    throw controlErrors.invalidField("confidential", "must be true or false");
  }
  return {
    ...texts(fields, ["name", "secret", "id"]),
    redirectUris,
    ...(confidential !== undefined && { confidential }),
  };
};

const readConsent = (fields: Fields): ConsentOptions =>
  texts(fields, [
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

export const oauthRoutes: ControlRoutes = {
  "POST /oauth/clients": ({ oauth }, _path, fields) => oauth.registerClient(readRegistration(fields)),
  "POST /oauth/consent": ({ oauth }, _path, fields) => oauth.consent(readConsent(fields)),
  "POST /oauth/deny": ({ oauth }, _path, fields) => oauth.deny(readConsent(fields)),
};
