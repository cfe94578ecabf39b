import type { Command } from "commander";
import type { Chosen } from "../../input/context.js";
import { exitCodes, type ExitReason, isInterruption } from "../../errors/exit-codes.js";
import { shellWord } from "../../text/shell-word.js";
import { siblingOf } from "../../contract/siblings.js";
import { calledAs } from "./called-as.js";
import type { Failure } from "../../errors/failure.js";
import { type FailedCommand, failedCommand } from "./failed-command.js";
import { inCommandWords } from "./in-command-words.js";
import { withoutConnectionStrings } from "./without-connection-strings.js";
import { type Candidate, type Facts, isRepeatable, nextByCode } from "./next-by-code.js";
import { addressWithoutCredentials } from "../../text/address-without-credentials.js";

type Words = readonly string[];

/** HTTP status of a rate limit. Nothing was done, and the same request succeeds later. */
const tooManyRequests = 429;

/** The operation or command that failed. */
interface Failed {
  readonly program: Command;
  /** The whole command line, without `mgmt`. */
  readonly line: readonly string[];
  /** The answers to prompts. */
  readonly chosen: readonly Chosen[];
  /** The id of the item that failed, if the command line has several. */
  readonly id: string | undefined;
  readonly env: NodeJS.ProcessEnv;
}

/**
 * Adds the commands that help after a failure, and a hint that names the best one if there is no other hint. The user who
 * interrupted the command needs no hint.
 */
export const withNext = async (
  error: Failure,
  { program, line, chosen, id, env }: Failed,
): Promise<Failure> => {
  const command = failedCommand(program, line, chosen);
  const failure = inCommandWords(error, command, id);
  const commands = await nextCommands(failure, command, id);
  const next = commands.map(([, ...words]) => [...calledAs(env), ...words]);
  const [best = []] = next;
  const hint = failure.hint ?? `Run ${best.map(shellWord).join(" ")}.`;
  const isHinted = failure.hint !== undefined || !isInterruption(failure.exitCode);
  return withoutConnectionStrings({ ...failure, ...(isHinted && { hint }), next }, line);
};

/**
 * Returns command lines, the best first. Each can be run as it is, and none is the one that failed, unless the service asked to
 * send the request again later.
 */
export const nextCommands = async (
  failure: Failure,
  command: FailedCommand,
  id: string | undefined,
): Promise<Words[]> => {
  if (failure.status === tooManyRequests && isRepeatable(command)) return [["mgmt", ...command.line]];
  const args = command.args.map(asValue);
  const ownIndex = command.definition ? command.definition.arguments.length - 1 : 0;
  const hasSeveral = command.definition !== undefined && args.length > command.definition.arguments.length;
  const facts: Facts = {
    failure,
    command,
    args,
    id: asValue(id) ?? (hasSeveral ? undefined : args[ownIndex]),
    flag: (name) => asValue(command.options[name]),
    detail: (name) => asValue(failure.details?.[name]),
  };
  const own: readonly Candidate[] =
    failure.next?.map(([, ...words]) => words) ??
    command.errors[failure.code]?.next ??
    nextByCode[failure.code]?.(facts) ??
    [];
  const candidates = [...own, ...(own.some(isComplete) ? [] : await byExitCode(facts))];
  const usable = candidates.filter(isComplete).map((words) => withConnection(words, command));
  const same = [command.line, [...command.words, ...command.args]].map((words) => words.join(" "));
  const distinct = usable.filter((words) => !same.includes(words.join(" ")));
  return (distinct.length > 0 ? distinct : [helpOf(command)]).map((words) => ["mgmt", ...words]);
};

/** Returns a string that can be an argument. One that starts with a dash would be parsed as a flag. */
const asValue = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" && !value.startsWith("-") ? value : undefined;

const isComplete = (words: Candidate): words is Words => words.every((word) => word !== undefined);

const helpOf = ({ words }: FailedCommand): Words => [...words, "--help"];

/** Commands that follow from the exit code, for codes without their own. */
const byExitCode = async (facts: Facts): Promise<readonly Candidate[]> => {
  const { command, failure } = facts;
  switch (reasonOf(failure.exitCode)) {
    case "notAuthenticated":
      return [
        ["auth", "status"],
        ["help", "auth"],
      ];
    case "forbidden":
      return [["whoami"], ["auth", "status"]];
    case "network":
      if (command.words.includes("login")) return [["help", "auth"]];
      return [["doctor"], ["help", "environment"]];
    case "failure":
      return [...(await thatShowState(facts)), ["auth", "status"], helpOf(command)];
    case "notFound":
    case "pending":
    case "interrupted":
    case "quit":
    case "terminated":
    case "hungUp":
    case "partlyDone":
      return [...(await thatShowState(facts)), helpOf(command)];
    case "usage":
    case "inputNeeded":
    case "refused":
    case "programNotStarted":
    case "programNotFound":
    case undefined:
      return [helpOf(command)];
  }
};

const reasonOf = (exitCode: number): ExitReason | undefined =>
  // The keys of an object literal are its type's.
  (Object.keys(exitCodes) as (keyof typeof exitCodes)[]).find(
    (reason): reason is ExitReason => exitCodes[reason] === exitCode,
  );

/** Commands that show the resource, or the others of its kind. */
const thatShowState = async ({ command, args, id, failure }: Facts): Promise<readonly Candidate[]> => {
  const { words, definition } = command;
  if (!definition) return [];
  const [get, list] = await Promise.all([siblingOf(words, "get"), siblingOf(words, "list")]);
  const isShown =
    get && failure.exitCode !== exitCodes.notFound && get.arguments.length === definition.arguments.length;
  const isListable = list?.query.every(({ required }) => required === undefined);
  return [
    ...(isShown ? [[...get.words, ...args.slice(0, get.arguments.length - 1), id]] : []),
    ...(list && isListable ? [[...list.words, ...list.arguments.map((_, index) => args[index])]] : []),
  ];
};

/** Commands that send no request with the credential of the command line. */
const offline: readonly string[] = ["help", "dev", "unlink"];

/** Adds the flags that chose the service and the credential. */
const withConnection = (words: Words, { line, flags, words: failed }: FailedCommand): Words => {
  const [first = ""] = words;
  const isRepeated = line.length > 0 && words.slice(0, line.length).join(" ") === line.join(" ");
  if (offline.includes(first) || words.at(-1) === "--help" || isRepeated) return words;
  const settings: readonly (readonly [string, string | undefined])[] = [
    ["--base-url", flags.baseUrl === undefined ? undefined : addressWithoutCredentials(flags.baseUrl)],
    ["--profile", flags.profile],
    // Standard input has been read, and a login stores a credential of its own.
    [
      "--token-file",
      flags.tokenFile === "-" || first === "login" || failed[0] === "login" ? undefined : flags.tokenFile,
    ],
  ];
  const missing = settings.filter(([flag]) => !words.includes(flag));
  return [...words, ...missing.flatMap(([flag, value]) => (value === undefined ? [] : [flag, value]))];
};
