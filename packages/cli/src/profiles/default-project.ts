import type { OperationCommand } from "../command-table.js";
import type { Typed } from "../input/read-input.js";
import type { GlobalFlags } from "../run/context.js";
import { activeProfile } from "./active-profile.js";

/** A project that a command needs and that was not typed: that of the environment, or else of the profile. */
export const withDefaultProject = (
  { body }: OperationCommand,
  typed: Typed,
  flags: GlobalFlags,
  env: NodeJS.ProcessEnv,
): Typed => {
  const field = body?.fields.find(
    ({ path, required }) => path.join(".") === "projectId" && required === "always",
  );
  // A whole body is meant as it is.
  if (!field || typed.body !== undefined || typed.flags[field.flag] !== undefined) return typed;
  const inEnv = flags.profile === undefined ? env["MGMT_PROJECT_ID"]?.trim() : undefined;
  const projectId = inEnv || activeProfile(flags, env).profile?.projectId;
  return projectId === undefined ? typed : { ...typed, flags: { ...typed.flags, [field.flag]: projectId } };
};
