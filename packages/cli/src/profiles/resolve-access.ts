import type { Context, GlobalFlags } from "../input/context.js";
import {
  otherServiceError,
  linkedServiceTokenError,
  emptyBaseUrlError,
  emptyTokenError,
} from "../errors/access-errors.js";
import { invalidAddressError, quotedTokenError, usageError } from "../errors/usage-errors.js";
import { chooseExistingProfile, type ProfileChoice, type ValueWithSource } from "./active-profile.js";
import { announceLinkedProfile } from "./announce-link.js";
import { hasCredential, isDevProfile, isSameAddress, type Profile } from "./profile.js";

/** The credential of requests: a token, or the credential of a profile. */
export type RequestCredential = { token: string } | { name: string; profile: Profile; file: string };

/** The service that a command calls, and as whom. */
export interface ServiceAccess {
  baseUrl: ValueWithSource<string> | undefined;
  identity: ValueWithSource<RequestCredential> | undefined;
  /** Undefined when flags and environment were enough; the profiles file was then not read. */
  choice: ProfileChoice | undefined;
}

/**
 * Resolves the service and the identity from flags, else from the environment, else from the profile. With `--profile` the
 * environment is ignored. Throws for a variable that is set but empty, and `auth:other_service` rather than send a profile's credential to another service, or
 * a token to the service that only a link names.
 */
export const resolveAccess = async (flags: GlobalFlags, context: Context): Promise<ServiceAccess> => {
  const { env, sources } = context;
  const baseUrl =
    flags.baseUrl === undefined ? readBaseUrlVariable(flags, env) : addSource(flags.baseUrl, "--base-url");
  const token =
    flags.tokenFile === undefined
      ? readTokenVariable(flags, env)
      : addSource(await sources.readSecret(flags.tokenFile, "--token-file"), "--token-file");
  if (token && hasOuterQuote(token.value)) throw quotedTokenError(token.from);
  const tokenIdentity = token && { value: { token: token.value }, from: token.from };
  if (tokenIdentity && baseUrl) return { baseUrl, identity: tokenIdentity, choice: undefined };

  const choice = chooseExistingProfile(flags, context);
  const { name, profile, file } = choice;
  if (!name || !profile) return { baseUrl, identity: tokenIdentity, choice };
  if (tokenIdentity && !baseUrl && name.from === choice.link?.file)
    throw linkedServiceTokenError(tokenIdentity.from, name.value, name.from);
  const profileSource = `profile ${name.value}`;
  const usesProfileCredential = !tokenIdentity && hasCredential(profile);
  if (usesProfileCredential && baseUrl && !isSameAddress(baseUrl.value, profile.baseUrl)) {
    await assertServiceAddress(baseUrl);
    throw otherServiceError(name.value, profile.baseUrl, baseUrl.from);
  }
  if (usesProfileCredential || !baseUrl) announceLinkedProfile(choice, context);
  return {
    baseUrl: baseUrl ?? addSource(profile.baseUrl, profileSource),
    identity: usesProfileCredential
      ? { value: { name: name.value, profile, file }, from: profileSource }
      : tokenIdentity,
    choice,
  };
};

/** Whether the service is one of `mgmt dev`, as far as the profile says. */
export const isDevAccess = ({ baseUrl, choice }: ServiceAccess): boolean => {
  const { profile } = choice ?? {};
  return (
    profile !== undefined &&
    isDevProfile(profile) &&
    (baseUrl === undefined || isSameAddress(baseUrl.value, profile.baseUrl))
  );
};

/** Throws `usage:invalid` for an address that the SDK refuses. */
export const assertServiceAddress = async ({ value, from }: ValueWithSource<string>): Promise<void> => {
  const { createClient, InvalidArgumentError } = await import("../sdk/sdk.js");
  try {
    createClient({ baseUrl: value, token: false, allowInsecureHttp: true });
  } catch (error) {
    throw error instanceof InvalidArgumentError ? invalidAddressError(from, error.problem) : error;
  }
};

/** Whether a value begins or ends with a quote. */
export const hasOuterQuote = (value: string): boolean => /^["'`]|["'`]$/.test(value);

const addSource = <T>(value: T, from: string): ValueWithSource<T> => ({ value, from });

const readBaseUrlVariable = (
  flags: GlobalFlags,
  env: NodeJS.ProcessEnv,
): ValueWithSource<string> | undefined => {
  const baseUrl = flags.profile === undefined && readServiceVariable("MGMT_BASE_URL", env);
  return baseUrl ? addSource(baseUrl, "MGMT_BASE_URL") : undefined;
};

/** Refuses white space here, where the message can name the variable; no request can send it in a header. */
const readTokenVariable = (
  flags: GlobalFlags,
  env: NodeJS.ProcessEnv,
): ValueWithSource<string> | undefined => {
  const token = flags.profile === undefined && readServiceVariable("MGMT_TOKEN", env);
  if (!token) return undefined;
  if (/\s/.test(token))
    throw usageError("MGMT_TOKEN contains white space; it must be the token and nothing else");
  return addSource(token, "MGMT_TOKEN");
};

/**
 * Returns the variable with the address of the service, or with the token; undefined if it is not set. Throws if it is set but
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
