import type { Command, CommanderError, Option } from "commander";
import { usageError } from "../errors/usage-errors.js";
import { groups } from "../generated/groups.js";
import { calledCommand, lineOf } from "./command.js";
import { similar } from "./suggest.js";

/** Turns commander's error into ours. Returns undefined if commander only ended after a help or version text. */
export const usageFailure = async (error: CommanderError, program: Command): Promise<Error | undefined> => {
  if (error.exitCode === 0) return undefined;
  const command = calledCommand(program);
  if (error.code === "commander.unknownCommand") return unknownCommand(command);
  if (error.code === "commander.excessArguments") return unexpectedArguments(command);
  const flag = /^error: unknown option '(--[\w-]+)=/.exec(error.message)?.[1];
  const known = command.options.find(({ long }) => long === flag);
  if (known) return valueOfSwitch(known, command);
  const text = error.message.replace(/^error: /, "");
  const namesValue = error.code !== "commander.optionMissingArgument";
  // The value after `=` is removed: it may be a secret.
  const [message = "", suggestion] = (namesValue ? text.replace(/=.*(?=')/, "") : text).split("\n");
  const hint =
    suggestion === undefined
      ? `${lineOf(command)} --help shows the arguments and flags.`
      : suggestion.replace(/^\((.*)\)$/, "$1");
  return usageError(capitalized(message), hint);
};

const unexpectedArguments = (command: Command): Error => {
  const extra = command.args.slice(command.registeredArguments.length).map(quoted).join(", ");
  const names = command.registeredArguments.map((each) => `<${each.name()}>`).join(" ");
  return usageError(
    `${lineOf(command)} does not accept the argument ${extra}`,
    `It takes ${names || "no arguments"}. ${lineOf(command)} --help shows the arguments and flags.`,
  );
};

/** A long word may be a token that was pasted in the wrong place. */
const quoted = (word: string): string => JSON.stringify(word.length > 40 ? `${word.slice(0, 8)}…` : word);

const valueOfSwitch = ({ long = "" }: Option, command: Command): Error => {
  const opposite = command.options.find((each) => each.long === long.replace("--", "--no-"));
  const off = opposite ? `pass ${opposite.long ?? ""}` : "leave it out";
  return usageError(`${long} takes no value`, `Pass ${long} to turn it on; to turn it off, ${off}.`);
};

const unknownCommand = async (command: Command): Promise<Error> => {
  const word = command.args[0] ?? "";
  const byName = new Map(
    command.commands.flatMap((each) => [each.name(), ...each.aliases()].map((name) => [name, each])),
  );
  const matches = new Set(similar(word, [...byName.keys()]).flatMap((name) => byName.get(name) ?? []));
  const suggestions = matches.size > 0 ? [...matches].map(lineOf) : await inOtherGroups(word, command);
  const message = `Unknown command: ${lineOf(command)} ${word}`;
  if (suggestions.length === 0) return usageError(message, `${lineOf(command)} --help lists the commands.`);
  const next = suggestions.map((line) => [...line.split(" "), "--help"]);
  return usageError(message, `Did you mean ${suggestions.join(" or ")}?`, { next });
};

/**
 * Finds commands of other groups: for `mgmt service-tokens`, `mgmt workspaces service-tokens`; for `mgmt branches list`,
 * `mgmt projects branches list`. What a group lacks, such as `create`, a group of another name does to something else, which
 * is not what was meant.
 */
const inOtherGroups = async (word: string, command: Command): Promise<string[]> => {
  const rows = (await Promise.all(groups.map(({ load }) => load()))).flat().filter((row) => !row.deprecated);
  const found = rows.flatMap(({ words }) => {
    const index = words.indexOf(word);
    const isMeant =
      command.parent === null || index < words.length - 1 || words[index - 1] === command.name();
    return index > 0 && isMeant ? [`mgmt ${words.slice(0, index + 1).join(" ")}`] : [];
  });
  return [...new Set(found)].slice(0, 3);
};

const capitalized = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
