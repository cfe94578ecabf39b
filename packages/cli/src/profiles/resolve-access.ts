import type { Context, GlobalFlags } from "../input/context.js";
import { otherServiceError, folderServiceTokenError } from "../errors/access-errors.js";
import { invalidUrlError, quotedTokenError } from "../errors/usage-errors.js";
import {
  selectExistingProfile,
  isChosenByFolder,
  type SelectedProfile,
  type ValueWithSource,
} from "./active-profile.js";
import { stripUrlCredentials } from "../text/strip-url-credentials.js";
import { announceLinkedProfile, announceOverride, findReadableLink } from "./announce-link.js";
import { readBaseUrlVariable, readTokenVariable } from "./service-variables.js";
import { hasOuterQuote } from "../text/outer-quote.js";
import { hasCredential, isDevProfile, isSameUrl, type Profile } from "./profile.js";

/** The credential of requests: a token, or the credential of a profile. */
export type RequestCredential = { token: string } | { name: string; profile: Profile; file: string };

/** The service that a command calls, and as whom. */
export interface ServiceAccess {
  baseUrl: ValueWithSource<string> | undefined;
  identity: ValueWithSource<RequestCredential> | undefined;
  /** It is undefined when flags and environment were enough; the profiles file was then not read. */
  selectedProfile: SelectedProfile | undefined;
}

/**
 * Resolves the service and the identity from flags, else from the environment, else from the profile. With `--profile` the
 * environment is ignored.
 *
 * @throws an error for a variable that is set but empty; `auth:other_service` rather than send a profile's credential to another
 *   service, or a token to a service that only a link or the folder chooses.
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
  if (tokenIdentity && baseUrl) {
    announceOverriddenService(baseUrl, context);
    return { baseUrl, identity: tokenIdentity, selectedProfile: undefined };
  }

  const selectedProfile = selectExistingProfile(flags, context);
  const { name, profile, file } = selectedProfile;
  if (!name || !profile) return { baseUrl, identity: tokenIdentity, selectedProfile };
  if (tokenIdentity && !baseUrl && isChosenByFolder(selectedProfile))
    throw folderServiceTokenError(tokenIdentity.from, name.value, name.from);
  const profileSource = `profile ${name.value}`;
  const usesProfileCredential = !tokenIdentity && hasCredential(profile);
  if (usesProfileCredential && baseUrl && !isSameUrl(baseUrl.value, profile.baseUrl)) {
    await assertServiceUrl(baseUrl);
    throw otherServiceError(name.value, profile.baseUrl, baseUrl.from);
  }
  if (usesProfileCredential || !baseUrl) announceLinkedProfile(selectedProfile, context);
  return {
    baseUrl: baseUrl ?? addSource(profile.baseUrl, profileSource),
    identity: usesProfileCredential
      ? { value: { name: name.value, profile, file }, from: profileSource }
      : tokenIdentity,
    selectedProfile,
  };
};

/** Announces on a terminal that the URL of a variable is used in a folder whose link names a profile. */
const announceOverriddenService = (
  { value, from }: ValueWithSource<string>,
  context: Pick<Context, "cwd" | "output">,
): void => {
  if (!context.output.isForPerson) return;
  const link = findReadableLink(context.cwd);
  const linkedProfile = link?.link.profile;
  const service = { value: stripUrlCredentials(value), from };
  announceOverride("service", service, link, linkedProfile && `profile ${linkedProfile}`, context);
};

/** Returns whether the service runs in `mgmt dev`, according to the profile. */
export const isDevAccess = ({ baseUrl, selectedProfile }: ServiceAccess): boolean => {
  const { profile } = selectedProfile ?? {};
  return (
    profile !== undefined &&
    isDevProfile(profile) &&
    (baseUrl === undefined || isSameUrl(baseUrl.value, profile.baseUrl))
  );
};

/** Throws `usage:invalid` for a URL that the SDK rejects. */
export const assertServiceUrl = async ({ value, from }: ValueWithSource<string>): Promise<void> => {
  const { createClient, InvalidArgumentError } = await import("../sdk/sdk.js");
  try {
    createClient({ baseUrl: value, token: false, allowInsecureHttp: true });
  } catch (error) {
    throw error instanceof InvalidArgumentError ? invalidUrlError(from, error.problem) : error;
  }
};

const addSource = <T>(value: T, source: string): ValueWithSource<T> => ({ value, from: source });
