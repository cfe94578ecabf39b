import type { Command, CommanderError } from "commander";
import { missingInput, usageError } from "../errors.js";
import { groups } from "../generated/groups.js";
import { lineOf } from "./command.js";
import { similar } from "./suggest.js";

/** What commander found wrong, in our words; undefined when it only ended after a help or version text. */
export const usageFailure = async (error: CommanderError, program: Command): Promise<Error | undefined> => {
  if (error.exitCode === 0) return undefined;
  const command = deepest(program);
  // A value behind `=` is left out: it may be a secret.
  const [message = "", suggestion] = error.message
    .replace(/^error: /, "")
    .replace(/=.*(?=')/, "")
    .split("\n");
  const ask = `${lineOf(command)} --help says what it takes.`;
  if (error.code === "commander.unknownCommand") return unknownCommand(command);
  const hint = suggestion === undefined ? ask : suggestion.replace(/^\((.*)\)$/, "$1");
  const missing = error.code === "commander.missingArgument";
  return missing ? missingInput(capitalised(message), hint) : usageError(capitalised(message), hint);
};

const unknownCommand = async (command: Command): Promise<Error> => {
  const word = command.args[0] ?? "";
  const names = new Map(
    command.commands.flatMap((each) => [each.name(), ...each.aliases()].map((name) => [name, each])),
  );
  const near = [...new Set(similar(word, [...names.keys()]).flatMap((name) => names.get(name) ?? []))].map(
    lineOf,
  );
  const meant = near.length > 0 ? near : await elsewhere(word);
  const hint =
    meant.length > 0
      ? `Did you mean ${meant.join(" or ")}?`
      : `${lineOf(command)} --help lists the commands.`;
  return usageError(`Unknown command: ${lineOf(command)} ${word}`, hint);
};

/** Commands of other groups with that word: `mgmt service-tokens` is found in `mgmt workspaces service-tokens`. */
const elsewhere = async (word: string): Promise<string[]> => {
  const rows = (await Promise.all(groups.map(({ load }) => load()))).flat();
  const found = rows.flatMap(({ words }) => {
    const place = words.indexOf(word);
    return place > 0 ? [`mgmt ${words.slice(0, place + 1).join(" ")}`] : [];
  });
  return [...new Set(found)].slice(0, 3);
};

/** The command that parsing has come to: each one on the way holds the words that it passed on. */
const deepest = (command: Command): Command => {
  const next = command.commands.find(
    (each) => each.name() === command.args[0] || each.aliases().includes(command.args[0] ?? ""),
  );
  return next === undefined ? command : deepest(next);
};

const capitalised = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
