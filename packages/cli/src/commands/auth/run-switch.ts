import type { Context } from "../../input/context.js";
import { unknownProfileNameError } from "../../errors/access-errors.js";
import { invalidProfileNameError, missingInputError } from "../../errors/usage-errors.js";
import { getNonInteractiveReason } from "../../input/ask.js";
import { promptForChoice } from "../../input/prompt-for-choice.js";
import { toPrintable } from "../../output/printable.js";
import { isValidProfileName, findProfile, type StoredProfiles } from "../../profiles/profile.js";
import { getProfilesPath, readProfiles } from "../../profiles/read-profiles.js";
import { updateProfiles } from "../../profiles/update-profiles.js";
import { warnIfProfileIsOverridden, warnIfProjectIsOverridden } from "../../profiles/warn-overridden.js";
import { stripUrlCredentials } from "../../text/strip-url-credentials.js";

/**
 * Makes a profile the active one, and sets its default project if one is given. Without a name it changes the project of
 * the active profile, or asks for a profile on a terminal.
 */
export const runAuthSwitch = async (
  profileName: string | undefined,
  projectId: string | undefined,
  context: Context,
): Promise<void> => {
  const profilesPath = getProfilesPath(context.env);
  const storedProfiles = readProfiles(profilesPath);
  const name =
    profileName ??
    (projectId === undefined ? undefined : storedProfiles.active) ??
    (await askForProfileName(storedProfiles, context));
  if (!isValidProfileName(name)) throw invalidProfileNameError("<profile>", name);
  await updateProfiles(profilesPath, (currentProfiles) => {
    const profile = findProfile(currentProfiles, name);
    if (!profile) throw unknownProfileNameError(name, Object.keys(currentProfiles.profiles));
    const updatedProfile = projectId === undefined ? profile : { ...profile, projectId };
    return {
      ...currentProfiles,
      active: name,
      profiles: { ...currentProfiles.profiles, [name]: updatedProfile },
    };
  });
  const projectSuffix = projectId === undefined ? "" : `, with default project ${projectId}`;
  context.output.info(`The active profile is now ${name}${projectSuffix}.`);
  await warnIfProfileIsOverridden(name, context);
  if (projectId !== undefined) await warnIfProjectIsOverridden(name, projectId, context);
};

const askForProfileName = async ({ profiles, active }: StoredProfiles, context: Context): Promise<string> => {
  const names = Object.keys(profiles);
  if (names.length === 0) throw missingInputError("There are no profiles yet", "mgmt login creates one.");
  const reason = getNonInteractiveReason(context);
  if (reason !== undefined) {
    const hint = `The command did not ask, because ${reason}. One of: ${names.join(", ")}.`;
    throw missingInputError("Missing <profile>", hint);
  }
  const namesActiveFirst = [...names].sort(
    (left, right) => Number(right === active) - Number(left === active),
  );
  const choices = namesActiveFirst.map((name) => ({
    value: name,
    parts: [toPrintable(name), toPrintable(stripUrlCredentials(profiles[name]?.baseUrl ?? ""))],
  }));
  return promptForChoice({ title: "Profile", choices }, context);
};
