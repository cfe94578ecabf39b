import type { Command } from "commander";
import { getCalledCommand, getCommandLine } from "../command-line/command.js";
import { toFailure } from "../errors/failure.js";
import { finishTrace } from "../tracing/finish-trace.js";
import type { StartedTrace } from "../tracing/start-trace.js";

export { startTrace } from "../tracing/start-trace.js";

/** A run that has finished. */
interface FinishedRun {
  /** The parser, after it has parsed the command line. */
  readonly program: Command;
  readonly exitCode: number;
  /** The error with which the run failed. Absent if it succeeded, or if a program has reported its own error. */
  readonly error?: unknown;
}

/** Sends the trace of a command that has finished. Never throws. */
export const finishRunTrace = async (
  startedTrace: StartedTrace,
  { program, exitCode, error }: FinishedRun,
  options: Parameters<typeof finishTrace>[2],
): Promise<void> => {
  try {
    const command = getCalledCommand(program);
    const errorCode = error === undefined ? undefined : (await toFailure(error)).code;
    const commandPath = getCommandLine(command).split(" ");
    await finishTrace(
      startedTrace,
      { commandPath, flags: listSpecifiedFlags(command), exitCode, errorCode },
      options,
    );
  } catch {
    // The command has done its work: no process can be started, for example.
  }
};

/** Returns the names of the flags on the command line. Values, arguments and unknown flags may be secrets. */
const listSpecifiedFlags = (command: Command): string[] => {
  const flags = command.options
    .filter((option) => command.getOptionValueSource(option.attributeName()) === "cli")
    .filter((option) => option.negate === (command.getOptionValue(option.attributeName()) === false))
    .map(({ long, short }) => long ?? short ?? "");
  return command.parent ? [...listSpecifiedFlags(command.parent), ...flags] : flags;
};
