import type { Context, GlobalFlags } from "../../input/context.js";
import {
  type CredentialDescription,
  describeCredential,
  noCredentialDescription,
} from "../../credentials/describe-credential.js";
import { selectProfile } from "../../profiles/active-profile.js";
import { hasCredential, readDevLiveness, type Profile } from "../../profiles/profile.js";
import { stripUrlCredentials } from "../../text/strip-url-credentials.js";

/** One profile, as `mgmt auth list` prints it. */
export interface ListedProfile {
  readonly profile: string;
  /** Whether commands use it here. */
  readonly active: boolean;
  /** URL of the service. */
  readonly service: string;
  /** Who the credential belongs to. */
  readonly account: string | null;
  readonly workspaceId: string | null;
  readonly projectId: string | null;
  readonly credential: CredentialDescription["kind"];
  readonly store: CredentialDescription["store"];
  /** When the credential expires. ISO 8601; null if it is not known. */
  readonly endsAt: string | null;
  /** Whether the credential is refreshed before it expires. */
  readonly renews: boolean;
  /** Whether the `mgmt dev` of the profile is running, or null for any other service, and for a `mgmt dev` in another container. */
  readonly running: boolean | null;
}

/** Prints every profile, without secrets. */
export const runAuthList = async (flags: GlobalFlags, context: Context): Promise<void> => {
  const { file, name: activeName, storedProfiles } = selectProfile(flags, context);
  const rows: ListedProfile[] = [];
  for (const [name, profile] of Object.entries(storedProfiles.profiles)) {
    const { kind, store, endsAt, renews } = await describeStoredCredential(file, name, profile);
    rows.push({
      profile: name,
      active: name === activeName?.value,
      service: stripUrlCredentials(profile.baseUrl),
      account: profile.account ?? null,
      workspaceId: profile.workspaceId ?? null,
      projectId: profile.projectId ?? null,
      credential: kind,
      store,
      endsAt,
      renews,
      running: isRunningDev(profile),
    });
  }
  await context.output.writeResult(rows, "StoredProfile");
};

const isRunningDev = (profile: Profile): boolean | null => {
  const processState = profile.process && readDevLiveness(profile);
  return processState === undefined || processState === "unknown" ? null : processState === "alive";
};

/** Does not open the keyring, which may ask for its password. */
const describeStoredCredential = (
  path: string,
  name: string,
  profile: Profile,
): Promise<CredentialDescription> => {
  const { inKeyring } = profile;
  if (inKeyring !== undefined) {
    return Promise.resolve({
      ...noCredentialDescription,
      kind: inKeyring,
      store: "keyring",
      renews: inKeyring === "login",
    });
  }
  if (!hasCredential(profile)) return Promise.resolve(noCredentialDescription);
  return describeCredential({ value: { name, profile, file: path }, from: path });
};
