import type { GlobalFlags } from "../run/context.js";
import { chooseProfile, type Found, type ProfileChoice } from "./active-profile.js";

/** What commands work on when it is not typed. */
export type DefaultName = "workspaceId" | "projectId";

const variables: Readonly<Record<DefaultName, string>> = {
  workspaceId: "MGMT_WORKSPACE_ID",
  projectId: "MGMT_PROJECT_ID",
};

/**
 * The environment wins over the link, and that over the profile. A profile that is named with `--profile` wins over the
 * environment. What a link says holds for its own profile alone: ids of one are nothing in another.
 */
export const findDefault = (
  name: DefaultName,
  flags: GlobalFlags,
  env: NodeJS.ProcessEnv,
  choose: () => ProfileChoice = () => chooseProfile(flags, env),
): Found<string> | undefined => {
  const variable = variables[name];
  const inEnv = flags.profile === undefined ? env[variable]?.trim() : undefined;
  if (inEnv) return { value: inEnv, from: variable };
  const { name: chosen, profile, link } = choose();
  const linked = link?.link[name];
  const isOwn =
    link?.link.profile === undefined ? flags.profile === undefined : link.link.profile === chosen?.value;
  if (link && linked !== undefined && isOwn) return { value: linked, from: link.file };
  const kept = profile?.[name];
  return kept === undefined || !chosen ? undefined : { value: kept, from: `profile ${chosen.value}` };
};
