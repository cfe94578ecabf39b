import type { Context, GlobalFlags } from "../../context.js";
import { describeCredential, noCredential } from "../../credentials/describe-credential.js";
import { chooseProfile } from "../../profiles/active-profile.js";
import { hasCredential, isRunning, type Profile } from "../../profiles/profile.js";
import { redactUrl } from "../../service/redaction.js";

/** Prints every profile, without secrets. */
export const runAuthList = async (flags: GlobalFlags, context: Context): Promise<void> => {
  const { file, name: chosen, profiles } = chooseProfile(flags, context);
  const rows: object[] = [];
  for (const [name, profile] of Object.entries(profiles.profiles)) {
    const { kind, store, endsAt, renewed } = await describe(file, name, profile);
    rows.push({
      profile: name,
      active: name === chosen?.value,
      service: redactUrl(profile.baseUrl),
      account: profile.account ?? null,
      workspaceId: profile.workspaceId ?? null,
      projectId: profile.projectId ?? null,
      credential: kind,
      store,
      endsAt,
      renewed,
      running: profile.pid === undefined ? null : isRunning(profile),
    });
  }
  await context.output.result(rows, "StoredProfile");
};

/** Does not open the keyring, which may ask for its password. */
const describe = (
  file: string,
  name: string,
  profile: Profile,
): Promise<Pick<typeof noCredential, "kind" | "store" | "endsAt" | "renewed">> => {
  const { inKeyring } = profile;
  if (inKeyring !== undefined) {
    return Promise.resolve({
      ...noCredential,
      kind: inKeyring,
      store: "keyring",
      renewed: inKeyring === "login",
    });
  }
  if (!hasCredential(profile)) return Promise.resolve(noCredential);
  return describeCredential({ value: { name, profile, file }, from: file });
};
