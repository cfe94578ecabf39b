import { emptyBaseUrl, emptyToken } from "../errors/access-errors.js";

/**
 * Returns the variable with the address of the service, or with the token; undefined if it is not set. Throws if it is set but
 * empty: in CI, a missing secret is an empty variable, and the credential of a profile must not take its place.
 */
export const serviceVariable = (
  name: "MGMT_BASE_URL" | "MGMT_TOKEN",
  env: NodeJS.ProcessEnv,
): string | undefined => {
  const value = env[name]?.trim();
  if (value === "") throw name === "MGMT_TOKEN" ? emptyToken() : emptyBaseUrl();
  return value;
};
