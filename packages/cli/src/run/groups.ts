import type { Context } from "../input/context.js";
import { groups } from "../contract/generated/groups.js";
import type { MgmtCommand } from "./program/command.js";
import { addCommands, addGroupDefaults, type CommandNode } from "./program/declared-commands.js";
import { defineOperation } from "./define-operation.js";
import { ensureRow } from "./ensure-row.js";
import { groupOverlays, isHidden, overlayOf } from "../contract/overlay.js";
import type { EnsureRule, OperationCommand } from "../contract/row.js";

/** Adds the groups of operations by name; the commands of a group are loaded when it is called. */
export const addGroups = (
  program: MgmtCommand,
  extraCommands: Readonly<Record<string, readonly CommandNode[]>>,
  context: Context,
): void => {
  const order = Object.keys(groupOverlays);
  const rank = (name: string): number => (order.includes(name) ? order.indexOf(name) : order.length);
  for (const { name, load } of [...groups].sort((a, b) => rank(a.name) - rank(b.name))) {
    const { heading = "More:", summary = "", aliases = [], hidden = false } = groupOverlays[name] ?? {};
    program.addLazy({
      name,
      aliases,
      hidden,
      describe: (group) => {
        group.summary(summary).helpGroup(heading);
        group.onDefine = async () => {
          addGroupDefaults(group, summary);
          addOperations(group, await load(), context);
          addCommands(group, extraCommands[name] ?? [], context);
        };
      },
    });
  }
};

/**
 * `workspaces.serviceTokens.list` becomes `list` in `service-tokens` in the group `workspaces`.
 *
 * @param depth Number of words that call the group.
 */
const addOperations = (
  group: MgmtCommand,
  rows: readonly OperationCommand[],
  context: Context,
  depth = 1,
): void => {
  const isIn = (word: string, row: OperationCommand): boolean =>
    row.words.length > depth + 1 && row.words[depth] === word;
  const added = new Set<string>();
  for (const row of rows) {
    const [word = row.id, ...below] = row.words.slice(depth);
    if (below.length === 0) {
      addOperation(group, row, context);
      if (row.ensure) addEnsure(group, row, row.ensure, context);
    } else if (!added.has(word)) {
      added.add(word);
      addSubgroup(
        group,
        word,
        rows.filter((row) => isIn(word, row)),
        context,
        depth + 1,
      );
    }
  }
};

const addOperation = (group: MgmtCommand, row: OperationCommand, context: Context): void => {
  const { groupDefault: isDefault = false } = overlayOf(row.id);
  const name = row.words.at(-1) ?? row.id;
  const alias = aliasOf(name);
  group.addLazy({
    name,
    aliases: alias === undefined ? [] : [alias],
    hidden: isHidden(row),
    isDefault,
    describe: (command) => {
      defineOperation(command, row, context);
    },
  });
};

const addEnsure = (
  group: MgmtCommand,
  create: OperationCommand,
  rule: EnsureRule,
  context: Context,
): void => {
  group.addLazy({
    name: "ensure",
    describe: (command) => {
      defineOperation(command, ensureRow(create, rule), context);
    },
  });
};

const addSubgroup = (
  parent: MgmtCommand,
  word: string,
  rows: readonly OperationCommand[],
  context: Context,
  depth: number,
): void => {
  const words = word.replaceAll("-", " ");
  const summary = `${words.slice(0, 1).toUpperCase()}${words.slice(1)} of ${parent.name()}`;
  parent.addLazy({
    name: word,
    hidden: rows.every(isHidden),
    describe: (group) => {
      group.summary(summary);
      group.onDefine = () => {
        addGroupDefaults(group, summary);
      };
      addOperations(group, rows, context, depth);
    },
  });
};

const aliases: Readonly<Record<string, string>> = { list: "ls", delete: "rm" };

const aliasOf = (name: string): string | undefined => aliases[name];
