import { missingInput, unknownProfile } from "../errors.js";
import { findLink } from "../profiles/link.js";
import { profileNamed, type Profiles } from "../profiles/profile.js";
import { profilesFile, readProfiles } from "../profiles/read-profiles.js";
import { updateProfiles } from "../profiles/update-profiles.js";
import { ask, isAtTerminal } from "../run/ask.js";
import type { Context } from "../run/context.js";

/**
 * Makes a profile the one that is used when none is named, and a project its default. Without a name it is asked for, or
 * with a project alone the active one stays.
 */
export const runSwitch = async (
  given: string | undefined,
  projectId: string | undefined,
  context: Context,
): Promise<void> => {
  const file = profilesFile(context.env);
  const kept = readProfiles(file);
  const name = given ?? (projectId === undefined ? undefined : kept.active) ?? (await choose(kept, context));
  await updateProfiles(file, (all) => {
    const profile = profileNamed(all, name);
    if (!profile) throw unknownProfile("<profile>", name, Object.keys(all.profiles));
    const next = projectId === undefined ? profile : { ...profile, projectId };
    return { ...all, active: name, profiles: { ...all.profiles, [name]: next } };
  });
  const project = projectId === undefined ? "" : `, with project ${projectId}`;
  context.output.say(`Profile ${name} is used from now on${project}.`);
  const link = findLink();
  const linked = link?.link.profile;
  if (link && linked !== undefined && linked !== name) {
    const message = `Here profile ${linked} is still used: ${link.file} says so; mgmt unlink takes it away`;
    await context.output.warn({ code: "link:other_profile", message });
  }
};

const choose = async ({ profiles, active }: Profiles, context: Context): Promise<string> => {
  const names = Object.keys(profiles);
  if (names.length === 0) throw missingInput("There is no profile yet", "mgmt login makes one.");
  if (!isAtTerminal(context) || context.env["CI"]) {
    throw missingInput("Missing <profile>", `One of: ${names.join(", ")}.`);
  }
  const choices = names.map((name) => ({ value: name, name: `${name}  ${profiles[name]?.baseUrl ?? ""}` }));
  const standing = active === undefined ? {} : { default: active };
  return ask(context, ({ select }, terminal) =>
    select({ message: "Profile:", choices, ...standing }, terminal),
  );
};
