import type { OperationCommand } from "../command-table.js";
import type { Typed } from "../input/read-input.js";
import type { GlobalFlags } from "../run/context.js";
import { missingInput } from "../errors.js";
import { defaultOf } from "../program/targets.js";
import { activeProfile } from "./active-profile.js";
import { type DefaultName, findDefault } from "./defaults.js";

/** Fills in a project and a workspace that a command needs and that were not typed. */
export const withDefaults = (
  { query, body }: OperationCommand,
  typed: Typed,
  flags: GlobalFlags,
  env: NodeJS.ProcessEnv,
): Typed => {
  // A whole body is meant as it is.
  const fields = [...query, ...(typed.body === undefined ? (body?.fields ?? []) : [])];
  const found: Record<string, string> = {};
  for (const { path, required, flag } of fields) {
    const name = defaultNames.find((each) => each === path.join("."));
    if (name === undefined || required !== "always" || typed.flags[flag] !== undefined) continue;
    const known = findDefault(name, flags, env, () => activeProfile(flags, env));
    if (known) found[flag] = known.value;
  }
  return Object.keys(found).length === 0 ? typed : { ...typed, flags: { ...typed.flags, ...found } };
};

/** The id of the project or workspace in use, for a command whose only id was not typed. Throws `usage:missing` without one. */
export const defaultTarget = (
  row: OperationCommand,
  flags: GlobalFlags,
  env: NodeJS.ProcessEnv,
): string[] => {
  const name = defaultOf(row);
  if (name === undefined) return [];
  const known = findDefault(name, flags, env, () => activeProfile(flags, env));
  if (known) return [known.value];
  const label = row.arguments[0]?.label ?? "id";
  const hint = `mgmt link --${label} names one for this folder; mgmt ${row.words.join(" ")} --help says what it takes.`;
  throw missingInput(`Missing required argument '${label}'`, hint);
};

const defaultNames: readonly DefaultName[] = ["workspaceId", "projectId"];
