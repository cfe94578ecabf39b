import type { Context, GlobalFlags } from "../context.js";
import { missingInput } from "../errors/usage-errors.js";
import type { TypedValues } from "../input/read-input.js";
import { activeProfile } from "../profiles/active-profile.js";
import { findDefault } from "../profiles/defaults.js";
import { isDefaultName } from "../profiles/profile.js";
import type { OperationCommand } from "./row.js";
import { defaultOf } from "./targets.js";

/** Sets the required project and workspace fields that were not typed to their defaults. */
export const fillDefaults = (
  { query, body }: OperationCommand,
  typed: TypedValues,
  flags: GlobalFlags,
  context: Pick<Context, "env" | "cwd">,
): TypedValues => {
  // A whole body is sent as it is.
  const fields = [...query, ...(typed.body === undefined ? (body?.fields ?? []) : [])];
  const defaults: Record<string, string> = {};
  for (const { path, required, flag } of fields) {
    const name = path.join(".");
    if (!isDefaultName(name) || required !== "always" || typed.flags[flag] !== undefined) continue;
    const found = findDefault(name, flags, context, () => activeProfile(flags, context));
    if (found) defaults[flag] = found.value;
  }
  return Object.keys(defaults).length === 0 ? typed : { ...typed, flags: { ...typed.flags, ...defaults } };
};

/** Returns the default of a command's only id, which was not typed. Throws `usage:missing` if there is no default. */
export const defaultTarget = (
  row: OperationCommand,
  flags: GlobalFlags,
  context: Pick<Context, "env" | "cwd">,
): string[] => {
  const name = defaultOf(row);
  if (name === undefined) return [];
  const found = findDefault(name, flags, context, () => activeProfile(flags, context));
  if (found) return [found.value];
  const label = row.arguments[0]?.label ?? "id";
  const hint = `mgmt link --${label} sets a default for this folder; mgmt ${row.words.join(" ")} --help shows the arguments.`;
  throw missingInput(`Missing required argument '${label}'`, hint);
};
