import { spawn } from "node:child_process";
import { constants } from "node:os";
import { readErrorCode } from "@mgmt/internal/errors/error-code";
import { describeCause, type CliError } from "../errors/cli-error.js";
import {
  interpreterNotFoundError,
  notExecutableError,
  programNotStartedError,
  programNotFoundError,
} from "../errors/program-errors.js";
import { type TerminationSignal, getExitCodeOfSignal, ProgramExitError } from "../errors/exit-codes.js";
import { isInForeground, keyboardSignals } from "./foreground.js";
import { buildInheritedEnvironment } from "./find-program.js";
import type { Interruption } from "./interruption.js";
import { waitForInterrupt } from "./shared-interrupt.js";

/** How a program is started. */
export interface ProgramOptions {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** `inherit`, or for each of standard input, output and error a stream of this process or `ignore`. */
  readonly stdio: "inherit" | readonly ("ignore" | number)[];
  /** The hint if the program is not found. */
  readonly notFoundHint: string;
  readonly interruption: Interruption;
  /** Called with each signal that arrives while the program runs. Default: only the program decides what the signal means. */
  readonly onSignal?: (signal: TerminationSignal) => void;
}

/** Signals that mean nothing to `mgmt`. */
const signalsForPrograms = ["SIGUSR1", "SIGUSR2"] as const;

/**
 * Runs a program on the streams of this process until it ends. It gets every signal that this process gets, and only its exit ends the run.
 * The program gets no variable of this command.
 *
 * @param variables environment variables to set in addition to the variables of this process. Undefined removes one.
 * @throws ProgramExitError unless the program exits with 0; `program:not_found`; `program:not_executable`; `program:not_started`.
 */
export const runProgram = async (
  program: string,
  args: readonly string[],
  variables: Readonly<Record<string, string | undefined>>,
  { env: parentEnvironment, cwd, interruption }: Pick<ProgramOptions, "env" | "cwd" | "interruption">,
  hints: { notFoundHint: string },
): Promise<void> => {
  const env = { ...buildInheritedEnvironment(parentEnvironment), ...variables };
  const status = await runForExitStatus(program, args, {
    cwd,
    env,
    stdio: "inherit",
    interruption,
    ...hints,
  });
  if (status !== 0) throw new ProgramExitError(status);
};

/**
 * Runs a program until it ends, and returns its exit status. Signals are forwarded to it, except for Ctrl-C and Ctrl-\ where the
 * terminal sends them to the program itself.
 *
 * @throws `program:not_found`; `program:not_executable`; `program:not_started`.
 */
export const runForExitStatus = async (
  program: string,
  args: readonly string[],
  { cwd, env, stdio, notFoundHint, interruption, onSignal }: ProgramOptions,
): Promise<number> => {
  const child = spawn(program, args, { cwd, env, stdio: typeof stdio === "string" ? stdio : [...stdio] });
  const exited = new Promise<number>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, signal) =>
      resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal])),
    );
  });
  const forwardSignal = (signal: NodeJS.Signals): void => {
    child.kill(signal);
  };
  const receiveSignal = (signal: TerminationSignal): void => {
    onSignal?.(signal);
    if (!keyboardSignals.includes(signal) || !isInForeground()) forwardSignal(signal);
  };
  for (const signal of signalsForPrograms) process.on(signal, forwardSignal);
  try {
    return await interruption.delegateSignals(receiveSignal, async () => {
      const status = await exited;
      const wasKeySignal = keyboardSignals.some((signal) => status === getExitCodeOfSignal(signal));
      if (onSignal && wasKeySignal) await waitForInterrupt(interruption.signal);
      return status;
    });
  } catch (error) {
    throw await describeStartFailure(program, error, { cwd, env, notFoundHint });
  } finally {
    for (const signal of signalsForPrograms) process.off(signal, forwardSignal);
  }
};

/** Describes why a program did not start. A missing interpreter of a script gets the same code from the system as a missing program. */
const describeStartFailure = async (
  program: string,
  error: unknown,
  { cwd, env, notFoundHint }: Pick<ProgramOptions, "cwd" | "env" | "notFoundHint">,
): Promise<CliError> => {
  const code = readErrorCode(error);
  if (code !== "ENOENT" && code !== "EACCES") return programNotStartedError(program, describeCause(error));
  const { programExists } = await import("./program-exists.js");
  if (!programExists(program, { cwd, env })) return programNotFoundError(program, notFoundHint);
  return code === "EACCES" ? notExecutableError(program) : interpreterNotFoundError(program);
};
