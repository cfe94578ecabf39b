import type { Command } from "commander";
import type { PromptAnswer } from "../../input/context.js";
import { exitCodes, type ExitReason, isInterruption } from "../../errors/exit-codes.js";
import { quoteShellWord } from "../../text/shell-word.js";
import { findSiblingCommand } from "../../contract/siblings.js";
import { getMgmtCommand, replaceMgmtCommand } from "../../text/mgmt-command.js";
import type { Failure } from "../../errors/failure.js";
import { type FailedCommand, describeFailedCommand } from "./failed-command.js";
import { translateFailure } from "./translate-failure.js";
import { redactConnectionStrings } from "./redact-connection-strings.js";
import { type CommandCandidate, type FailureDetails, isRepeatable, nextByCode } from "./next-by-code.js";
import { stripUrlCredentials } from "../../text/strip-url-credentials.js";

type CommandLine = readonly string[];

/** HTTP status of a rate limit. Nothing was done, and the same request succeeds later. */
const tooManyRequestsStatus = 429;

/** The operation or command that failed. */
interface FailureContext {
  readonly program: Command;
  /** The whole command line, without `mgmt`. */
  readonly line: readonly string[];
  /** The answers to prompts. */
  readonly promptAnswers: readonly PromptAnswer[];
  /** The id of the item that failed, if the command line has several. */
  readonly id: string | undefined;
  readonly env: NodeJS.ProcessEnv;
}

/**
 * Adds the commands that help after a failure, and a hint that names the best one if there is no other hint. The user who
 * interrupted the command needs no hint.
 */
export const addNextCommands = async (
  error: Failure,
  { program, line, promptAnswers, id, env }: FailureContext,
): Promise<Failure> => {
  const command = describeFailedCommand(program, line, promptAnswers);
  const failure = translateFailure(error, command, id);
  const commands = await listNextCommands(failure, command, id);
  const next = commands.map(([, ...commandLine]) => [...getMgmtCommand(env), ...commandLine]);
  const [bestCommand = []] = next;
  const hint =
    failure.hint === undefined
      ? `Run ${bestCommand.map(quoteShellWord).join(" ")}.`
      : replaceMgmtCommand(failure.hint, env);
  const needsHint = failure.hint !== undefined || !isInterruption(failure.exitCode);
  return redactConnectionStrings({ ...failure, ...(needsHint && { hint }), next }, line);
};

/**
 * Returns command lines, the best first. Each can be run as it is, and none is the one that failed, unless the service asked to
 * send the request again later.
 */
export const listNextCommands = async (
  failure: Failure,
  command: FailedCommand,
  id: string | undefined,
): Promise<CommandLine[]> => {
  if (failure.status === tooManyRequestsStatus && isRepeatable(command)) return [["mgmt", ...command.line]];
  const args = command.args.map(toArgument);
  const idIndex = command.definition ? command.definition.arguments.length - 1 : 0;
  const hasSeveral = command.definition !== undefined && args.length > command.definition.arguments.length;
  const details: FailureDetails = {
    failure,
    command,
    args,
    id: toArgument(id) ?? (hasSeveral ? undefined : args[idIndex]),
    readFlag: (name) => toArgument(command.options[name]),
    readDetail: (name) => toArgument(failure.details?.[name]),
  };
  const declaredCandidates: readonly CommandCandidate[] =
    failure.next?.map(([, ...commandLine]) => commandLine) ??
    command.errors[failure.code]?.next ??
    nextByCode[failure.code]?.(details) ??
    [];
  const candidates = [
    ...declaredCandidates,
    ...(declaredCandidates.some(isComplete) ? [] : await suggestByExitCode(details)),
  ];
  const usableCommands = candidates
    .filter(isComplete)
    .map((commandLine) => addConnectionFlags(commandLine, command));
  const sameCommandLines = [command.line, [...command.commandPath, ...command.args]].map((commandLine) =>
    commandLine.join(" "),
  );
  const otherCommands = usableCommands.filter(
    (commandLine) => !sameCommandLines.includes(commandLine.join(" ")),
  );
  return (otherCommands.length > 0 ? otherCommands : [buildHelpCommand(command)]).map((commandLine) => [
    "mgmt",
    ...commandLine,
  ]);
};

/** Returns a string that can be an argument. One that starts with a dash would be parsed as a flag. */
const toArgument = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" && !value.startsWith("-") ? value : undefined;

const isComplete = (commandLine: CommandCandidate): commandLine is CommandLine =>
  commandLine.every((arg) => arg !== undefined);

const buildHelpCommand = ({ commandPath }: FailedCommand): CommandLine => [...commandPath, "--help"];

/** Commands that follow from the exit code, for codes without their own. */
const suggestByExitCode = async (details: FailureDetails): Promise<readonly CommandCandidate[]> => {
  const { command, failure } = details;
  switch (findExitReason(failure.exitCode)) {
    case "notAuthenticated":
      return [
        ["auth", "status"],
        ["help", "auth"],
      ];
    case "forbidden":
      return [["whoami"], ["auth", "status"]];
    case "network":
      if (command.commandPath.includes("login")) return [["help", "auth"]];
      return [["doctor"], ["help", "environment"]];
    case "failure":
      return [...(await suggestStateCommands(details)), ["auth", "status"], buildHelpCommand(command)];
    case "notFound":
    case "pending":
    case "interrupted":
    case "quit":
    case "terminated":
    case "hungUp":
    case "partlyDone":
      return [...(await suggestStateCommands(details)), buildHelpCommand(command)];
    case "usage":
    case "inputNeeded":
    case "refused":
    case "programNotStarted":
    case "programNotFound":
    case undefined:
      return [buildHelpCommand(command)];
  }
};

const findExitReason = (exitCode: number): ExitReason | undefined =>
  // The keys of an object literal are its type's.
  (Object.keys(exitCodes) as (keyof typeof exitCodes)[]).find(
    (reason): reason is ExitReason => exitCodes[reason] === exitCode,
  );

/** Commands that show the resource, or the others of its type. */
const suggestStateCommands = async ({
  command,
  args,
  id,
  failure,
}: FailureDetails): Promise<readonly CommandCandidate[]> => {
  const { commandPath, definition } = command;
  if (!definition) return [];
  const [get, list] = await Promise.all([
    findSiblingCommand(commandPath, "get"),
    findSiblingCommand(commandPath, "list"),
  ]);
  const canGet =
    get && failure.exitCode !== exitCodes.notFound && get.arguments.length === definition.arguments.length;
  const isListable = list?.query.every(({ required }) => required === undefined);
  return [
    ...(canGet ? [[...get.commandPath, ...args.slice(0, get.arguments.length - 1), id]] : []),
    ...(list && isListable ? [[...list.commandPath, ...list.arguments.map((_, index) => args[index])]] : []),
  ];
};

/** Commands that send no request with the credential of the command line. */
const offlineCommands: readonly string[] = ["help", "dev", "serve", "unlink"];

/** Adds the flags that chose the service and the credential. */
const addConnectionFlags = (
  commandLine: CommandLine,
  { line, flags, options, commandPath: failedPath }: FailedCommand,
): CommandLine => {
  const [firstArgument = ""] = commandLine;
  if (firstArgument === "serve" && commandLine.at(-1) !== "--help") {
    const config = toArgument(options["config"]);
    return config === undefined || commandLine[1] === "schema"
      ? commandLine
      : [...commandLine, "--config", config];
  }
  const isRepeated = line.length > 0 && commandLine.slice(0, line.length).join(" ") === line.join(" ");
  if (offlineCommands.includes(firstArgument) || commandLine.at(-1) === "--help" || isRepeated)
    return commandLine;
  const connectionFlags: readonly (readonly [string, string | undefined])[] = [
    ["--base-url", flags.baseUrl === undefined ? undefined : stripUrlCredentials(flags.baseUrl)],
    ["--profile", flags.profile],
    // Standard input has been read, and a login stores a credential of its own.
    [
      "--token-file",
      flags.tokenFile === "-" || firstArgument === "login" || failedPath[0] === "login"
        ? undefined
        : flags.tokenFile,
    ],
  ];
  const missingFlags = connectionFlags.filter(([flag]) => !commandLine.includes(flag));
  return [
    ...commandLine,
    ...missingFlags.flatMap(([flag, value]) => (value === undefined ? [] : [flag, value])),
  ];
};
