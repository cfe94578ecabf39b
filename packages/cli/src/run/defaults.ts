import type { MgmtClient } from "@mgmt/sdk";
import type { Context, GlobalFlags } from "../input/context.js";
import type { CommandLineValues } from "../input/read-input.js";
import { selectExistingProfile, type ValueWithSource } from "../profiles/active-profile.js";
import { resolveAndAnnounceDefault } from "../profiles/defaults.js";
import { isDefaultName } from "../profiles/profile.js";
import type { GeneratedCommand } from "../contract/generated-command.js";
import { findDefaultName } from "./targets.js";

/** Returns the flag that limits a list to a project but may be left out, which then means the default project. */
export const findProjectFilterFlag = ({ envelope, query }: GeneratedCommand): string | undefined =>
  envelope === "list"
    ? query.find(({ path, required }) => path.join(".") === "projectId" && required === undefined)?.flag
    : undefined;

/**
 * Sets the required project and workspace fields that are not on the command line to their defaults, and limits a list to the default
 * project unless all projects are requested. A branch is in one project, so its list needs no other limit.
 */
export const fillDefaults = (
  command: GeneratedCommand,
  commandLineValues: CommandLineValues,
  flags: GlobalFlags,
  context: Pick<Context, "env" | "cwd" | "output">,
  includesAllProjects = false,
): CommandLineValues => {
  const { query, body } = command;
  const branch = commandLineValues.flags["branch-id"];
  const isAlreadyFiltered = includesAllProjects || (branch !== undefined && branch !== "unassigned");
  const filterFlag = isAlreadyFiltered ? undefined : findProjectFilterFlag(command);
  // A body that is passed as a whole gets no defaults.
  const fields = [...query, ...(commandLineValues.body === undefined ? (body?.fields ?? []) : [])];
  const defaults: Record<string, string> = {};
  for (const { path, required, flag } of fields) {
    const name = path.join(".");
    const hasDefault = required === "always" || flag === filterFlag;
    if (!isDefaultName(name) || !hasDefault || commandLineValues.flags[flag] !== undefined) continue;
    const defaultValue = resolveAndAnnounceDefault(name, flags, context, () =>
      selectExistingProfile(flags, context),
    );
    if (defaultValue) defaults[flag] = defaultValue.value;
  }
  return Object.keys(defaults).length === 0
    ? commandLineValues
    : { ...commandLineValues, flags: { ...commandLineValues.flags, ...defaults } };
};

/** An id and where it came from, or `credential` for the workspace that the credential belongs to. */
export type DefaultTarget = ValueWithSource<string> | "credential";

/** Returns the default of a command's only id, which is not on the command line; undefined if there is none. */
export const findDefaultTarget = (
  definition: GeneratedCommand,
  flags: GlobalFlags,
  context: Pick<Context, "env" | "cwd" | "output">,
): DefaultTarget | undefined => {
  const name = findDefaultName(definition);
  if (name === undefined) return undefined;
  const defaultValue = resolveAndAnnounceDefault(name, flags, context, () =>
    selectExistingProfile(flags, context),
  );
  if (defaultValue) return defaultValue;
  return name === "workspaceId" ? "credential" : undefined;
};

/** Asks the service for the id that replaces an omitted one. Returns undefined if the credential has no workspace. */
export const resolveDefaultTarget = async (
  target: DefaultTarget,
  connect: () => Promise<MgmtClient>,
  signal: AbortSignal,
): Promise<ValueWithSource<string> | undefined> => {
  if (target !== "credential") return target;
  const client = await connect();
  const { workspace } = await client.me.get({ signal });
  return workspace ? { value: workspace.id, from: "the credential" } : undefined;
};
