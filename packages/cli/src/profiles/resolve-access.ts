import type { Context, GlobalFlags } from "../input/context.js";
import { otherService, tokenForLinkedService, emptyBaseUrl, emptyToken } from "../errors/access-errors.js";
import { badAddress, quotedToken, usageError } from "../errors/usage-errors.js";
import { activeProfile, type ProfileChoice, type Sourced } from "./active-profile.js";
import { announceLinkedProfile } from "./announce-link.js";
import { hasCredential, isSameAddress, type Profile } from "./profile.js";

/** The credential of requests: a token, or that of a profile. */
export type Identity = { token: string } | { name: string; profile: Profile; file: string };

/** The service that a command calls, and as whom. */
export interface Access {
  baseUrl: Sourced<string> | undefined;
  identity: Sourced<Identity> | undefined;
  /** Undefined when flags and environment were enough; the profiles file was then not read. */
  choice: ProfileChoice | undefined;
}

/**
 * Resolves the service and the identity from flags, else from the environment, else from the profile. With `--profile` the
 * environment is ignored. Throws for a variable that is set but empty, and `auth:other_service` rather than send a profile's credential to another service, or
 * a token to the service that only a link names.
 */
export const resolveAccess = async (flags: GlobalFlags, context: Context): Promise<Access> => {
  const { env, sources } = context;
  const baseUrl =
    flags.baseUrl === undefined ? baseUrlFrom(flags, env) : sourced(flags.baseUrl, "--base-url");
  const token =
    flags.tokenFile === undefined
      ? tokenFrom(flags, env)
      : sourced(await sources.readSecret(flags.tokenFile, "--token-file"), "--token-file");
  if (token && isQuoted(token.value)) throw quotedToken(token.from);
  const tokenIdentity = token && { value: { token: token.value }, from: token.from };
  if (tokenIdentity && baseUrl) return { baseUrl, identity: tokenIdentity, choice: undefined };

  const choice = activeProfile(flags, context);
  const { name, profile, file } = choice;
  if (!name || !profile) return { baseUrl, identity: tokenIdentity, choice };
  if (tokenIdentity && !baseUrl && name.from === choice.link?.file)
    throw tokenForLinkedService(tokenIdentity.from, name.value, name.from);
  const from = `profile ${name.value}`;
  const usesProfile = !tokenIdentity && hasCredential(profile);
  if (usesProfile && baseUrl && !isSameAddress(baseUrl.value, profile.baseUrl)) {
    await assertAddress(baseUrl);
    throw otherService(name.value, profile.baseUrl, baseUrl.from);
  }
  if (usesProfile || !baseUrl) announceLinkedProfile(choice, context);
  return {
    baseUrl: baseUrl ?? sourced(profile.baseUrl, from),
    identity: usesProfile ? { value: { name: name.value, profile, file }, from } : tokenIdentity,
    choice,
  };
};

/** Throws `usage:invalid` for an address that the SDK refuses, which is not that of another service. */
const assertAddress = async ({ value, from }: Sourced<string>): Promise<void> => {
  const { createClient, InvalidArgumentError } = await import("../sdk/sdk.js");
  try {
    createClient({ baseUrl: value, token: false, allowInsecureHttp: true });
  } catch (error) {
    throw error instanceof InvalidArgumentError ? badAddress(from, error.problem) : error;
  }
};

/** Whether a value begins or ends with a quote. */
export const isQuoted = (text: string): boolean => /^["'`]|["'`]$/.test(text);

const sourced = <T>(value: T, from: string): Sourced<T> => ({ value, from });

const baseUrlFrom = (flags: GlobalFlags, env: NodeJS.ProcessEnv): Sourced<string> | undefined => {
  const baseUrl = flags.profile === undefined && serviceVariable("MGMT_BASE_URL", env);
  return baseUrl ? sourced(baseUrl, "MGMT_BASE_URL") : undefined;
};

/** Refuses white space here, where the message can name the variable; no request can send it in a header. */
const tokenFrom = (flags: GlobalFlags, env: NodeJS.ProcessEnv): Sourced<string> | undefined => {
  const token = flags.profile === undefined && serviceVariable("MGMT_TOKEN", env);
  if (!token) return undefined;
  if (/\s/.test(token))
    throw usageError("MGMT_TOKEN contains white space; it must be the token and nothing else");
  return sourced(token, "MGMT_TOKEN");
};

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
