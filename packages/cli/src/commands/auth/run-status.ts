import type { Context, GlobalFlags } from "../../input/context.js";
import {
  type CredentialDescription,
  describeCredential,
  noCredentialDescription,
} from "../../credentials/describe-credential.js";
import { missingTokenError } from "../../errors/access-errors.js";
import { selectProfile, type SelectedProfile, type ValueWithSource } from "../../profiles/active-profile.js";
import { findDefault } from "../../profiles/defaults.js";
import { isSameUrl } from "../../profiles/profile.js";
import { isDevAccess, resolveAccess } from "../../profiles/resolve-access.js";
import { readAuthUrlVariable } from "../../profiles/service-variables.js";
import { stripUrlCredentials } from "../../text/strip-url-credentials.js";

/** A value that commands use, and where it comes from. Both are null if there is none. */
interface StatusValue {
  readonly value: string | null;
  readonly from: string | null;
}

/** What `mgmt auth status` prints. */
export interface AuthStatus {
  readonly profile: StatusValue;
  readonly baseUrl: StatusValue;
  /** The authorization server that `mgmt login` uses, or null if neither `MGMT_AUTH_URL` nor a profile for this service names one. */
  readonly authUrl: StatusValue;
  readonly credential: CredentialDescription;
  readonly workspace: StatusValue;
  readonly project: StatusValue;
  /** The profiles file. */
  readonly file: string;
  /** The link file that applies to the working directory. */
  readonly link: string | null;
}

/** Prints the settings of commands, where each value comes from, and when the token expires; never the token itself. */
export const runAuthStatus = async (flags: GlobalFlags, context: Context): Promise<void> => {
  const access = await resolveAccess(flags, context);
  const { baseUrl, identity, selectedProfile = selectProfile(flags, context) } = access;
  const { file, name } = selectedProfile;
  const credential = identity ? await describeCredential(identity) : noCredentialDescription;
  const status: AuthStatus = {
    profile: toStatusValue(name),
    baseUrl: toUrlValue(baseUrl),
    authUrl: toUrlValue(
      readAuthUrlVariable(flags, context.env) ?? findProfileAuthUrl(selectedProfile, baseUrl),
    ),
    credential,
    workspace: toStatusValue(findDefault("workspaceId", flags, context, () => selectedProfile)),
    project: toStatusValue(findDefault("projectId", flags, context, () => selectedProfile)),
    file,
    link: selectedProfile.link?.file ?? null,
  };
  await context.output.writeResult(status);
  if (!identity || credential === noCredentialDescription)
    throw missingTokenError(baseUrl?.value, isDevAccess(access));
};

/** Returns the authorization server of the profile, if the commands call the service of the profile. */
const findProfileAuthUrl = (
  { name, profile }: SelectedProfile,
  baseUrl: ValueWithSource<string> | undefined,
): ValueWithSource<string> | undefined =>
  name && profile?.authUrl !== undefined && baseUrl && isSameUrl(profile.baseUrl, baseUrl.value)
    ? { value: profile.authUrl, from: `profile ${name.value}` }
    : undefined;

const toUrlValue = (setting: ValueWithSource<string> | undefined): StatusValue =>
  toStatusValue(setting && { ...setting, value: stripUrlCredentials(setting.value) });

const toStatusValue = (setting: ValueWithSource<string> | undefined): StatusValue =>
  setting ?? { value: null, from: null };
