import type { Context } from "../input/context.js";
import { addressWithoutCredentials } from "../text/address-without-credentials.js";
import { chooseProfile, type ProfileChoice, type Sourced } from "./active-profile.js";
import { findDefault } from "./defaults.js";
import { findLink, type Link, linkFileIn } from "./link-file.js";
import { hasCredential, isProfileName, isSameAddress, profileNamed } from "./profile.js";

/** The parts of the context that the functions of this file need. */
type Place = Pick<Context, "env" | "cwd" | "output">;

/** Warns that commands in this folder do not use the value that was just stored. */
export const warnOverridden = async (
  { value, from }: Sourced<string>,
  what: string,
  { env, cwd, output }: Place,
): Promise<void> => {
  const hint =
    from === findLink(cwd)?.file
      ? "mgmt unlink removes the link."
      : env[from] === undefined
        ? undefined
        : `Unset ${from} to use ${what}.`;
  await output.warn({
    code: "config:overridden",
    message: `Commands here still use ${value} from ${from}, which overrides ${what}`,
    ...(hint !== undefined && { hint }),
    from,
  });
};

/**
 * Warns if commands in this folder do not use a profile that was just stored, linked or made the active one, or not its address or
 * credential. The flags of this run do not count: later ones have others.
 */
export const warnIfProfileIsOverridden = async (name: string, context: Place): Promise<void> => {
  const choice = laterChoice(context);
  if (!choice) return;
  const { env } = context;
  // That another profile is the active one is no surprise: a flag has named this one.
  if (choice.name && choice.name.value !== name && choice.name.from !== choice.file) {
    const used = { value: `profile ${choice.name.value}`, from: choice.name.from };
    await warnOverridden(used, `profile ${name}`, context);
  }
  const profile = profileNamed(choice.profiles, name);
  const baseUrl = env["MGMT_BASE_URL"]?.trim();
  if (profile && baseUrl && !isSameAddress(baseUrl, profile.baseUrl)) {
    const used = { value: addressWithoutCredentials(baseUrl), from: "MGMT_BASE_URL" };
    await warnOverridden(used, `the address of profile ${name}`, context);
  }
  if (profile && hasCredential(profile) && env["MGMT_TOKEN"]?.trim()) {
    const used = { value: "the token", from: "MGMT_TOKEN" };
    await warnOverridden(used, `the credential of profile ${name}`, context);
  }
};

/** Does the same for the default project of the profile. */
export const warnIfProjectIsOverridden = async (
  name: string,
  projectId: string,
  context: Place,
): Promise<void> => {
  const choice = laterChoice(context);
  if (!choice || choice.name?.value !== name) return;
  const effective = findDefault("projectId", {}, context, () => choice);
  if (effective && effective.value !== projectId)
    await warnOverridden(effective, `the project of profile ${name}`, context);
};

/** Does the same for the link of the working directory. */
export const warnIfLinkIsOverridden = async (link: Link, context: Place): Promise<void> => {
  if (link.profile !== undefined) await warnIfProfileIsOverridden(link.profile, context);
  const choice = laterChoice(context);
  // The ids of a link mean nothing in another profile.
  if (!choice || (link.profile !== undefined && choice.name?.value !== link.profile)) return;
  for (const name of ["workspaceId", "projectId"] as const) {
    const effective = findDefault(name, {}, context, () => choice);
    const linked = link[name];
    if (effective && linked !== undefined && effective.value !== linked)
      await warnOverridden(effective, `${linked} in ${linkFileIn(context.cwd)}`, context);
  }
};

/** Returns the profile that the next command chooses; undefined if it refuses the name in MGMT_PROFILE, and says so itself. */
const laterChoice = (context: Place): ProfileChoice | undefined => {
  const named = context.env["MGMT_PROFILE"]?.trim();
  return named && !isProfileName(named) ? undefined : chooseProfile({}, context);
};
