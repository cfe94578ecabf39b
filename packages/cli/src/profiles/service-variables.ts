import type { GlobalFlags } from "../input/context.js";
import { emptyBaseUrlError, emptyTokenError } from "../errors/access-errors.js";
import { usageError } from "../errors/usage-errors.js";
import type { ValueWithSource } from "./active-profile.js";

/** Returns `MGMT_BASE_URL`; undefined if it is not set, or if `--profile` chooses another source. */
export const readBaseUrlVariable = (
  flags: GlobalFlags,
  env: NodeJS.ProcessEnv,
): ValueWithSource<string> | undefined => {
  const baseUrl = flags.profile === undefined && readServiceVariable("MGMT_BASE_URL", env);
  return baseUrl ? { value: baseUrl, from: "MGMT_BASE_URL" } : undefined;
};

/** Returns `MGMT_AUTH_URL`; undefined if it is not set or empty, or if `--profile` chooses another source. */
export const readAuthUrlVariable = (
  flags: GlobalFlags,
  env: NodeJS.ProcessEnv,
): ValueWithSource<string> | undefined => {
  const authUrl = flags.profile === undefined && env["MGMT_AUTH_URL"]?.trim();
  return authUrl ? { value: authUrl, from: "MGMT_AUTH_URL" } : undefined;
};

/**
 * Returns `MGMT_TOKEN`; undefined if it is not set, or if `--profile` chooses another source. Rejects white space, which no request
 * can send in a header, here, where the message can name the variable.
 */
export const readTokenVariable = (
  flags: GlobalFlags,
  env: NodeJS.ProcessEnv,
): ValueWithSource<string> | undefined => {
  const token = flags.profile === undefined && readServiceVariable("MGMT_TOKEN", env);
  if (!token) return undefined;
  if (/\s/.test(token))
    throw usageError("MGMT_TOKEN contains white space; it must be the token and nothing else");
  return { value: token, from: "MGMT_TOKEN" };
};

/**
 * Returns the variable with the URL of the service, or with the token; undefined if it is not set. Throws if it is set but
 * empty: in CI, a missing secret is an empty variable, and the credential of a profile must not take its place.
 */
export const readServiceVariable = (
  name: "MGMT_BASE_URL" | "MGMT_TOKEN",
  env: NodeJS.ProcessEnv,
): string | undefined => {
  const value = env[name]?.trim();
  if (value === "") throw name === "MGMT_TOKEN" ? emptyTokenError() : emptyBaseUrlError();
  return value;
};
