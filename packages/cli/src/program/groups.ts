import { defineApprovalWait } from "../commands/approval-wait.js";
import type { OperationCommand } from "../command-table.js";
import { groups } from "../generated/groups.js";
import { groupOverlays, overlayOf } from "../overlay.js";
import type { Context } from "../run/context.js";
import type { MgmtCommand } from "./command.js";
import { addGlobalOptions } from "./global-options.js";
import { defineOperation } from "./operation-command.js";

const usage = "<command> [options]";

/** Names the groups; each one's commands are loaded when it is called. */
export const addGroups = (program: MgmtCommand, context: Context): void => {
  const order = Object.keys(groupOverlays);
  const rank = (name: string): number => (order.includes(name) ? order.indexOf(name) : order.length);
  for (const { name, load } of [...groups].sort((a, b) => rank(a.name) - rank(b.name))) {
    const { heading = "More:", summary = "", aliases = [] } = groupOverlays[name] ?? {};
    const group = program.command(name).helpGroup(heading).summary(summary).description(summary);
    group.usage(usage).aliases([...aliases]);
    addGlobalOptions(group, { hidden: true });
    group.load = async () => fillGroup(group, await load(), context);
  }
};

/** `workspaces.serviceTokens.list` becomes `list` in `service-tokens` in the group `workspaces`. */
const fillGroup = (group: MgmtCommand, rows: readonly OperationCommand[], context: Context): void => {
  for (const row of rows) {
    const parent = row.words.slice(1, -1).reduce(descend, group);
    const isDefault = overlayOf(row.id).groupDefault ?? false;
    defineOperation(parent.command(row.words.at(-1) ?? row.id, { isDefault }), row, context);
  }
  // A wait is made of many requests: it is no operation.
  if (group.name() === "agent-approvals") defineApprovalWait(group.command("wait"), context);
};

const descend = (parent: MgmtCommand, word: string): MgmtCommand => {
  const known = parent.commands.find((command) => command.name() === word);
  if (known) return known;
  const words = word.replaceAll("-", " ");
  const summary = `${words.slice(0, 1).toUpperCase()}${words.slice(1)} of ${parent.name()}`;
  const command = parent.command(word).usage(usage).summary(summary).description(summary);
  addGlobalOptions(command, { hidden: true });
  return command;
};
