import type { Context } from "../context.js";
import { groups } from "../generated/groups.js";
import type { MgmtCommand } from "../program/command.js";
import { addGroupDefaults, addPorcelain, type PorcelainCommand } from "../program/porcelain.js";
import { defineOperation } from "./define-operation.js";
import { ensureRow } from "./ensure-row.js";
import { groupOverlays, overlayOf } from "./overlay.js";
import type { OperationCommand } from "./row.js";

/** Adds the groups of operations by name; the commands of a group are loaded when it is called. */
export const addGroups = (
  program: MgmtCommand,
  extraCommands: Readonly<Record<string, readonly PorcelainCommand[]>>,
  context: Context,
): void => {
  const order = Object.keys(groupOverlays);
  const rank = (name: string): number => (order.includes(name) ? order.indexOf(name) : order.length);
  for (const { name, load } of [...groups].sort((a, b) => rank(a.name) - rank(b.name))) {
    const { heading = "More:", summary = "", aliases = [] } = groupOverlays[name] ?? {};
    const group = program
      .command(name)
      .helpGroup(heading)
      .aliases([...aliases]);
    addGroupDefaults(group, summary);
    group.onDefine = async () => {
      addOperations(group, await load(), context);
      addPorcelain(group, extraCommands[name] ?? [], context);
    };
  }
};

/** `workspaces.serviceTokens.list` becomes `list` in `service-tokens` in the group `workspaces`. */
const addOperations = (group: MgmtCommand, rows: readonly OperationCommand[], context: Context): void => {
  for (const row of rows) {
    const parent = row.words.slice(1, -1).reduce(findOrAddGroup, group);
    const isDefault = overlayOf(row.id).groupDefault ?? false;
    defineOperation(parent.command(row.words.at(-1) ?? row.id, { isDefault }), row, context);
    if (row.ensure) defineOperation(parent.command("ensure"), ensureRow(row, row.ensure), context);
  }
};

const findOrAddGroup = (parent: MgmtCommand, word: string): MgmtCommand => {
  const known = parent.commands.find((command) => command.name() === word);
  if (known) return known;
  const words = word.replaceAll("-", " ");
  const command = parent.command(word);
  addGroupDefaults(command, `${words.slice(0, 1).toUpperCase()}${words.slice(1)} of ${parent.name()}`);
  return command;
};
