import { interrupted, missingInput, unknownProfile } from "../errors.js";
import { profileNamed, type Profiles } from "../profiles/profile.js";
import { profilesFile, readProfiles } from "../profiles/read-profiles.js";
import { updateProfiles } from "../profiles/update-profiles.js";
import type { Context } from "../run/context.js";

/** Makes a profile the one that is used when none is named. Without a name it is asked for. */
export const runSwitch = async (given: string | undefined, context: Context): Promise<void> => {
  const file = profilesFile(context.env);
  const name = given ?? (await choose(readProfiles(file), context));
  await updateProfiles(file, (all) => {
    if (!profileNamed(all, name)) throw unknownProfile("<profile>", name, Object.keys(all.profiles));
    return { ...all, active: name };
  });
  context.output.say(`Profile ${name} is used from now on.`);
};

const choose = async (
  { profiles, active }: Profiles,
  { stdin, stderr, env, signal }: Context,
): Promise<string> => {
  const names = Object.keys(profiles);
  if (names.length === 0) throw missingInput("There is no profile yet", "mgmt login makes one.");
  if (!stdin.isTTY || !stderr.isTTY || env["CI"]) {
    throw missingInput("Missing <profile>", `One of: ${names.join(", ")}.`);
  }
  const { select } = await import("@inquirer/prompts");
  const choices = names.map((name) => ({ value: name, name: `${name}  ${profiles[name]?.baseUrl ?? ""}` }));
  try {
    return await select(
      { message: "Profile:", choices, ...(active !== undefined && { default: active }) },
      { input: stdin, output: stderr, signal },
    );
  } catch (error) {
    if (error instanceof Error && error.name === "ExitPromptError") throw interrupted();
    signal.throwIfAborted();
    throw error;
  }
};
