import type { Command, CommanderError } from "commander";
import { missingInput, usageError } from "../errors/usage-errors.js";
import { groups } from "../generated/groups.js";
import { lineOf } from "./command.js";
import { similar } from "./suggest.js";

/** Turns commander's error into ours. Returns undefined if commander only ended after a help or version text. */
export const usageFailure = async (error: CommanderError, program: Command): Promise<Error | undefined> => {
  if (error.exitCode === 0) return undefined;
  const command = deepest(program);
  if (error.code === "commander.unknownCommand") return unknownCommand(command);
  // The value after `=` is removed: it may be a secret.
  const [message = "", suggestion] = error.message
    .replace(/^error: /, "")
    .replace(/=.*(?=')/, "")
    .split("\n");
  const hint =
    suggestion === undefined
      ? `${lineOf(command)} --help shows the arguments and flags.`
      : suggestion.replace(/^\((.*)\)$/, "$1");
  const missing = error.code === "commander.missingArgument";
  return missing ? missingInput(capitalized(message), hint) : usageError(capitalized(message), hint);
};

const unknownCommand = async (command: Command): Promise<Error> => {
  const word = command.args[0] ?? "";
  const byName = new Map(
    command.commands.flatMap((each) => [each.name(), ...each.aliases()].map((name) => [name, each])),
  );
  const matches = new Set(similar(word, [...byName.keys()]).flatMap((name) => byName.get(name) ?? []));
  const suggestions = matches.size > 0 ? [...matches].map(lineOf) : await inOtherGroups(word);
  const hint =
    suggestions.length > 0
      ? `Did you mean ${suggestions.join(" or ")}?`
      : `${lineOf(command)} --help lists the commands.`;
  return usageError(`Unknown command: ${lineOf(command)} ${word}`, hint);
};

/** Finds commands of other groups: for `mgmt service-tokens`, `mgmt workspaces service-tokens`. */
const inOtherGroups = async (word: string): Promise<string[]> => {
  const rows = (await Promise.all(groups.map(({ load }) => load()))).flat();
  const found = rows.flatMap(({ words }) => {
    const index = words.indexOf(word);
    return index > 0 ? [`mgmt ${words.slice(0, index + 1).join(" ")}`] : [];
  });
  return [...new Set(found)].slice(0, 3);
};

/** Returns the command that parsing stopped at. Each command passed the rest of the words to the next one. */
const deepest = (command: Command): Command => {
  const next = command.commands.find(
    (each) => each.name() === command.args[0] || each.aliases().includes(command.args[0] ?? ""),
  );
  return next === undefined ? command : deepest(next);
};

const capitalized = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
