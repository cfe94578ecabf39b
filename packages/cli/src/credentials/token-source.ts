import type { Context } from "../input/context.js";
import { missingTokenError } from "../errors/access-errors.js";
import { isObject } from "../json/json-path.js";
import { isDevProfile } from "../profiles/profile.js";
import type { RequestCredential } from "../profiles/resolve-access.js";
import type { LoginToken } from "./login-token.js";

/**
 * Returns the token that requests are sent with: a token as it is, or a function for the current token of a login. Throws `dev:not_running`
 * for a profile of a `mgmt dev` that has stopped.
 */
export const resolveToken = async (
  identity: RequestCredential,
  context: Pick<Context, "output" | "trace" | "insecureUrls" | "signal">,
): Promise<string | LoginToken> => {
  if ("token" in identity) return identity.token;
  if (identity.profile.controlSecretFile !== undefined) {
    const { assertDevServiceIsGenuine } = await import("./dev-service-proof.js");
    await assertDevServiceIsGenuine(identity.name, identity.profile, context);
  }
  if (identity.profile.token !== undefined) return identity.profile.token;
  if (identity.profile.inKeyring === "token") {
    const { readStoredToken } = await import("./credential-store.js");
    const token = await readStoredToken(identity);
    if (token === undefined)
      throw missingTokenError(identity.profile.baseUrl, isDevProfile(identity.profile));
    return token;
  }
  const { authUrl = identity.profile.baseUrl } = identity.profile;
  await context.insecureUrls.assertAllowed({ value: authUrl, from: `profile ${identity.name}` });
  const { createLoginTokenReader } = await import("./login-token.js");
  return createLoginTokenReader(identity, context);
};

/** Returns when a JWT expires, in milliseconds since 1970, or undefined. The signature is not verified. */
export const parseJwtExpiry = (token: string): number | undefined => {
  const [, payload = ""] = token.split(".");
  try {
    const claims: unknown = JSON.parse(Buffer.from(payload, "base64url").toString("utf8"));
    const expiry = isObject(claims) ? claims["exp"] : undefined;
    // A later time is none that `Date` has.
    return typeof expiry === "number" && Math.abs(expiry) <= 8.64e12 ? expiry * 1000 : undefined;
  } catch {
    return undefined;
  }
};
