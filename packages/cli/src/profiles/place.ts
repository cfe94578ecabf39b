import { otherService, usageError } from "../errors.js";
import type { Context, GlobalFlags } from "../run/context.js";
import { activeProfile, type Found, type ProfileChoice } from "./active-profile.js";
import { holdsCredential, type Profile } from "./profile.js";

/** What requests are sent with: a token as it is, or the profile that holds a credential. */
export type Identity = { token: string } | { name: string; profile: Profile; file: string };

/** Where the service is, and who is calling. */
export interface Place {
  baseUrl: Found<string> | undefined;
  identity: Found<Identity> | undefined;
  /** Absent when flags and environment said everything: then the file was not read. */
  choice: ProfileChoice | undefined;
}

/**
 * A flag wins over the environment, and that over the profile. `--profile` is a flag: all that is in the profile wins over
 * the environment then. A credential of a profile is sent to that profile's service only.
 */
export const findPlace = async (flags: GlobalFlags, { env, sources }: Context): Promise<Place> => {
  const baseUrl = flags.baseUrl === undefined ? baseUrlIn(flags, env) : found(flags.baseUrl, "--base-url");
  const token =
    flags.tokenFile === undefined
      ? tokenIn(flags, env)
      : found(await sources.readSecret(flags.tokenFile, "--token-file"), "--token-file");
  const known = token && { value: { token: token.value }, from: token.from };
  if (known && baseUrl) return { baseUrl, identity: known, choice: undefined };

  const choice = activeProfile(flags, env);
  const { name, profile, file } = choice;
  if (!name || !profile) return { baseUrl, identity: known, choice };
  const from = `profile ${name.value}`;
  const holds = holdsCredential(profile);
  if (!known && holds && baseUrl && !isSameAddress(baseUrl.value, profile.baseUrl)) {
    throw otherService(name.value, profile.baseUrl, baseUrl.from);
  }
  return {
    baseUrl: baseUrl ?? found(profile.baseUrl, from),
    identity: known ?? (holds ? { value: { name: name.value, profile, file }, from } : undefined),
    choice,
  };
};

const found = <T>(value: T, from: string): Found<T> => ({ value, from });

const baseUrlIn = (flags: GlobalFlags, env: NodeJS.ProcessEnv): Found<string> | undefined => {
  const baseUrl = flags.profile === undefined && env["MGMT_BASE_URL"]?.trim();
  return baseUrl ? found(baseUrl, "MGMT_BASE_URL") : undefined;
};

/** A token with a line break in it would be refused as a header later, without saying where it came from. */
const tokenIn = (flags: GlobalFlags, env: NodeJS.ProcessEnv): Found<string> | undefined => {
  const token = flags.profile === undefined && env["MGMT_TOKEN"]?.trim();
  if (!token) return undefined;
  if (/\s/.test(token))
    throw usageError("MGMT_TOKEN holds white space; it must be the token and nothing else");
  return found(token, "MGMT_TOKEN");
};

/** `http://HOST:80/` is `http://host`. */
export const isSameAddress = (left: string, right: string): boolean => plain(left) === plain(right);

const plain = (address: string): string =>
  URL.canParse(address) ? new URL(address).href.replace(/\/+$/, "") : address;
