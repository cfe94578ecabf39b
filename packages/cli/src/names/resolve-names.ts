import type { Context, GlobalFlags } from "../context.js";
import type { OperationCommand } from "../operations/row.js";
import { activeProfile } from "../profiles/active-profile.js";
import { takeDefault } from "../profiles/defaults.js";
import { connect } from "../service/connect.js";
import { namedKindOf, mayBeName, type NamedKind } from "./id-form.js";
import { resolveName } from "./resolve-name.js";
import { idFields, isName, kindAt, type Typed } from "./typed-names.js";

/** Replaces names in the arguments and flags of a command line by ids. */
export const resolveNames = async (
  row: OperationCommand,
  { ids, typed }: Typed,
  globals: GlobalFlags,
  context: Context,
): Promise<Typed> => {
  const client = await connect(globals, context);
  const flags: Record<string, string | boolean> = { ...typed.flags };
  const projectFlag = idFields(row).find(({ prefix }) => namedKindOf(prefix) === "project")?.flag;
  const defaultProject = (): string | undefined => {
    const typedProject = projectFlag === undefined ? undefined : flags[projectFlag];
    if (typeof typedProject === "string") return typedProject;
    return takeDefault("projectId", globals, context, () => activeProfile(globals, context))?.value;
  };
  const scope = { client, signal: context.signal, defaultProject };
  const resolve = async (kind: NamedKind, text: string): Promise<string> =>
    (await resolveName(kind, text, scope)) ?? text;

  // The project comes first: other names may be relative to it.
  for (const { flag, prefix } of idFields(row)) {
    const [kind, text] = [namedKindOf(prefix), flags[flag]];
    if (kind && isName(text)) flags[flag] = await resolve(kind, text);
  }
  const resolved: string[] = [];
  for (const [index, id] of ids.entries()) {
    const kind = kindAt(row, index);
    resolved.push(kind && mayBeName(id) ? await resolve(kind, id) : id);
  }
  return { ids: resolved, typed: { ...typed, flags } };
};
