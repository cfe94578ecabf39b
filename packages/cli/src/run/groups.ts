import { capitalize } from "@mgmt/internal/text/capitalize";
import type { Context } from "../input/context.js";
import { groups } from "../contract/generated/groups.js";
import type { MgmtCommand } from "../command-line/command.js";
import { addCommands, addGroupDefaults, type CommandOutline } from "../command-line/declared-commands.js";
import { defineOperation } from "./define-operation.js";
import { createEnsureDefinition } from "./ensure-definition.js";
import { groupOverrides, isHiddenCommand, getOverride } from "../contract/command-override.js";
import type { EnsureRule, GeneratedCommand } from "../contract/generated-command.js";

/** Adds the groups of operations by name; the commands of a group are loaded when it is called. */
export const addGroups = (
  program: MgmtCommand,
  extraCommands: Readonly<Record<string, readonly CommandOutline[]>>,
  context: Context,
): void => {
  const order = Object.keys(groupOverrides);
  const getRank = (name: string): number => (order.includes(name) ? order.indexOf(name) : order.length);
  for (const { name, load } of [...groups].sort((left, right) => getRank(left.name) - getRank(right.name))) {
    const { heading = "More:", summary = "", aliases = [], hidden = false } = groupOverrides[name] ?? {};
    program.addLazy({
      name,
      aliases,
      hidden,
      describeInParent: (group) => {
        group.summary(summary).helpGroup(heading);
        group.onFirstUse = async () => {
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
 * @param depth number of words in the path of the group.
 */
const addOperations = (
  group: MgmtCommand,
  definitions: readonly GeneratedCommand[],
  context: Context,
  depth = 1,
): void => {
  const isInSubgroup = (word: string, definition: GeneratedCommand): boolean =>
    definition.commandPath.length > depth + 1 && definition.commandPath[depth] === word;
  const addedSubgroups = new Set<string>();
  for (const definition of definitions) {
    const [word = definition.id, ...deeperWords] = definition.commandPath.slice(depth);
    if (deeperWords.length === 0) {
      addOperation(group, definition, context);
      if (definition.ensure) addEnsure(group, definition, definition.ensure, context);
    } else if (!addedSubgroups.has(word)) {
      addedSubgroups.add(word);
      addSubgroup(
        group,
        word,
        definitions.filter((definition) => isInSubgroup(word, definition)),
        context,
        depth + 1,
      );
    }
  }
};

const addOperation = (group: MgmtCommand, definition: GeneratedCommand, context: Context): void => {
  const { isGroupDefault: isDefault = false } = getOverride(definition.id);
  const name = definition.commandPath.at(-1) ?? definition.id;
  const alias = getAlias(name);
  group.addLazy({
    name,
    aliases: alias === undefined ? [] : [alias],
    hidden: isHiddenCommand(definition),
    isDefault,
    describeInParent: (command) => {
      defineOperation(command, definition, context);
    },
  });
};

const addEnsure = (
  group: MgmtCommand,
  create: GeneratedCommand,
  rule: EnsureRule,
  context: Context,
): void => {
  group.addLazy({
    name: "ensure",
    describeInParent: (command) => {
      defineOperation(command, createEnsureDefinition(create, rule), context);
    },
  });
};

const addSubgroup = (
  parent: MgmtCommand,
  word: string,
  definitions: readonly GeneratedCommand[],
  context: Context,
  depth: number,
): void => {
  const words = word.replaceAll("-", " ");
  const summary = `${capitalize(words)} of ${parent.name()}`;
  parent.addLazy({
    name: word,
    hidden: definitions.every(isHiddenCommand),
    describeInParent: (group) => {
      group.summary(summary);
      group.onFirstUse = () => {
        addGroupDefaults(group, summary);
      };
      addOperations(group, definitions, context, depth);
    },
  });
};

const aliases: Readonly<Record<string, string>> = { list: "ls", delete: "rm" };

const getAlias = (name: string): string | undefined => aliases[name];
