import type { Context, GlobalFlags } from "../../context.js";
import { describeCredential, noCredential } from "../../credentials/describe-credential.js";
import { noToken } from "../../errors/access-errors.js";
import { chooseProfile, type Sourced } from "../../profiles/active-profile.js";
import { findDefault } from "../../profiles/defaults.js";
import { resolveAccess } from "../../profiles/resolve-access.js";

/** Prints what commands use, where each value comes from, and when the token expires; never the token itself. */
export const runAuthStatus = async (flags: GlobalFlags, context: Context): Promise<void> => {
  const access = await resolveAccess(flags, context);
  const { baseUrl, identity, choice = chooseProfile(flags, context) } = access;
  const { file, name, profile } = choice;
  const fromProfile = (value: string | undefined): object =>
    printed(value === undefined || !name ? undefined : { value, from: `profile ${name.value}` });
  const credential = identity ? await describeCredential(identity) : noCredential;
  await context.output.result({
    profile: printed(name),
    baseUrl: printed(baseUrl),
    authUrl: fromProfile(profile?.authUrl),
    credential,
    workspace: printed(findDefault("workspaceId", flags, context, () => choice)),
    project: printed(findDefault("projectId", flags, context, () => choice)),
    file,
    link: choice.link?.file ?? null,
  });
  if (!identity || credential === noCredential) throw noToken(baseUrl?.value);
};

const printed = (found: Sourced<string> | undefined): { value: string | null; from: string | null } =>
  found ?? { value: null, from: null };
