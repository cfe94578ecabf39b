import type { MgmtClient } from "@mgmt/sdk";
import type { Context, GlobalFlags } from "../input/context.js";
import type { TypedValues } from "../input/read-input.js";
import { activeProfile, type Sourced } from "../profiles/active-profile.js";
import { takeDefault } from "../profiles/defaults.js";
import { isDefaultName } from "../profiles/profile.js";
import type { CommandDefinition } from "../contract/command-definition.js";
import { defaultOf } from "./targets.js";

/** Returns the flag that limits a list to a project but may be left out, which then means the default project. */
export const projectFilterOf = ({ envelope, query }: CommandDefinition): string | undefined =>
  envelope === "list"
    ? query.find(({ path, required }) => path.join(".") === "projectId" && required === undefined)?.flag
    : undefined;

/**
 * Sets the required project and workspace fields that were not typed to their defaults, and limits a list to the default project
 * unless all projects are asked for. A branch is in one project, so its list needs no other limit.
 */
export const fillDefaults = (
  command: CommandDefinition,
  typed: TypedValues,
  flags: GlobalFlags,
  context: Pick<Context, "env" | "cwd" | "output">,
  allProjects = false,
): TypedValues => {
  const { query, body } = command;
  const branch = typed.flags["branch-id"];
  const isLimited = allProjects || (branch !== undefined && branch !== "unassigned");
  const filter = isLimited ? undefined : projectFilterOf(command);
  // A whole body is sent as it is.
  const fields = [...query, ...(typed.body === undefined ? (body?.fields ?? []) : [])];
  const defaults: Record<string, string> = {};
  for (const { path, required, flag } of fields) {
    const name = path.join(".");
    const hasDefault = required === "always" || flag === filter;
    if (!isDefaultName(name) || !hasDefault || typed.flags[flag] !== undefined) continue;
    const preset = takeDefault(name, flags, context, () => activeProfile(flags, context));
    if (preset) defaults[flag] = preset.value;
  }
  return Object.keys(defaults).length === 0 ? typed : { ...typed, flags: { ...typed.flags, ...defaults } };
};

/** An id and where it came from, or `credential` for the workspace that the credential belongs to. */
export type DefaultTarget = Sourced<string> | "credential";

/** Returns the default of a command's only id, which was not typed, or undefined if there is none. */
export const defaultTarget = (
  definition: CommandDefinition,
  flags: GlobalFlags,
  context: Pick<Context, "env" | "cwd" | "output">,
): DefaultTarget | undefined => {
  const name = defaultOf(definition);
  if (name === undefined) return undefined;
  const preset = takeDefault(name, flags, context, () => activeProfile(flags, context));
  if (preset) return preset;
  return name === "workspaceId" ? "credential" : undefined;
};

/** Asks the service for the id that replaces an omitted one. Returns undefined if the credential has no workspace. */
export const resolveTarget = async (
  target: DefaultTarget,
  connect: () => Promise<MgmtClient>,
  signal: AbortSignal,
): Promise<Sourced<string> | undefined> => {
  if (target !== "credential") return target;
  const client = await connect();
  const { workspace } = await client.me.get({ signal });
  return workspace ? { value: workspace.id, from: "the credential" } : undefined;
};
