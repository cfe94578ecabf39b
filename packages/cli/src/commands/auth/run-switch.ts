import type { Context } from "../../input/context.js";
import { unknownProfileName } from "../../errors/access-errors.js";
import { badProfileName, missingInput } from "../../errors/usage-errors.js";
import { whyNotAsked } from "../../input/ask.js";
import { choose } from "../../input/choose.js";
import { printable } from "../../output/printable.js";
import { isProfileName, profileNamed, type Profiles } from "../../profiles/profile.js";
import { profilesFile, readProfiles } from "../../profiles/read-profiles.js";
import { updateProfiles } from "../../profiles/update-profiles.js";
import { warnIfProfileIsOverridden, warnIfProjectIsOverridden } from "../../profiles/warn-overridden.js";
import { addressWithoutCredentials } from "../../text/address-without-credentials.js";

/**
 * Makes a profile the active one, and sets its default project if one is given. Without a name it changes the project of
 * the active profile, or asks for a profile on a terminal.
 */
export const runAuthSwitch = async (
  profileName: string | undefined,
  projectId: string | undefined,
  context: Context,
): Promise<void> => {
  const file = profilesFile(context.env);
  const stored = readProfiles(file);
  const name =
    profileName ??
    (projectId === undefined ? undefined : stored.active) ??
    (await askForProfile(stored, context));
  if (!isProfileName(name)) throw badProfileName("<profile>", name);
  await updateProfiles(file, (all) => {
    const profile = profileNamed(all, name);
    if (!profile) throw unknownProfileName(name, Object.keys(all.profiles));
    const next = projectId === undefined ? profile : { ...profile, projectId };
    return { ...all, active: name, profiles: { ...all.profiles, [name]: next } };
  });
  const project = projectId === undefined ? "" : `, with default project ${projectId}`;
  context.output.info(`The active profile is now ${name}${project}.`);
  await warnIfProfileIsOverridden(name, context);
  if (projectId !== undefined) await warnIfProjectIsOverridden(name, projectId, context);
};

const askForProfile = async ({ profiles, active }: Profiles, context: Context): Promise<string> => {
  const names = Object.keys(profiles);
  if (names.length === 0) throw missingInput("There are no profiles yet", "mgmt login creates one.");
  const reason = whyNotAsked(context);
  if (reason !== undefined) {
    const hint = `The command did not ask, because ${reason}. One of: ${names.join(", ")}.`;
    throw missingInput("Missing <profile>", hint);
  }
  const activeFirst = [...names].sort((one, other) => Number(other === active) - Number(one === active));
  const choices = activeFirst.map((name) => ({
    value: name,
    texts: [printable(name), printable(addressWithoutCredentials(profiles[name]?.baseUrl ?? ""))],
  }));
  return choose({ title: "Profile", choices }, context);
};
