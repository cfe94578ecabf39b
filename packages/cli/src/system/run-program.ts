import { spawn } from "node:child_process";
import { constants } from "node:os";
import { errorCode } from "@mgmt/internal/errors/error-code";
import { causeText, type CliError } from "../errors/cli-error.js";
import {
  interpreterNotFound,
  notExecutable,
  programFailedToStart,
  programNotFound,
} from "../errors/run-errors.js";
import { type EndSignal, exitCodeOfSignal, ProgramEnded } from "../errors/exit-codes.js";
import { isInForeground, keySignals } from "./foreground.js";
import { inheritedEnvironment } from "./find-program.js";
import type { Interruption } from "./interruption.js";
import { interruptIsSeen } from "./shared-interrupt.js";

/** How a program is started. */
export interface ProgramOptions {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** `inherit`, or for each of standard input, output and error a stream of this process or `ignore`. */
  readonly stdio: "inherit" | readonly ("ignore" | number)[];
  /** The advice if the program is not found. */
  readonly notFound: string;
  readonly interruption: Interruption;
  /** Called with each signal that arrives while the program runs. Default: only the program decides what the signal means. */
  readonly onSignal?: (signal: EndSignal) => void;
}

/** Signals that mean nothing to `mgmt`. */
const signalsForPrograms = ["SIGUSR1", "SIGUSR2"] as const;

/**
 * Runs a program on the streams of this process until it ends. It gets every signal that this process gets, and only its end ends
 * the run. The program gets no variable of this command.
 *
 * @param variables environment variables to set beside those of this process. Undefined removes one.
 * @throws ProgramEnded unless the program exits with 0; `program:not_found`; `program:not_executable`; `program:not_started`.
 */
export const runProgram = async (
  program: string,
  args: readonly string[],
  variables: Readonly<Record<string, string | undefined>>,
  { env: own, cwd, interruption }: Pick<ProgramOptions, "env" | "cwd" | "interruption">,
  hints: { notFound: string },
): Promise<void> => {
  const env = { ...inheritedEnvironment(own), ...variables };
  const status = await exitStatusOf(program, args, { cwd, env, stdio: "inherit", interruption, ...hints });
  if (status !== 0) throw new ProgramEnded(status);
};

/**
 * Runs a program until it ends, and returns its exit status. Signals are forwarded to it, except for Ctrl-C and Ctrl-\ where the
 * terminal sends them to the program itself.
 *
 * @throws `program:not_found`; `program:not_executable`; `program:not_started`.
 */
export const exitStatusOf = async (
  program: string,
  args: readonly string[],
  { cwd, env, stdio, notFound, interruption, onSignal }: ProgramOptions,
): Promise<number> => {
  const child = spawn(program, args, { cwd, env, stdio: typeof stdio === "string" ? stdio : [...stdio] });
  const ended = new Promise<number>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, signal) =>
      resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal])),
    );
  });
  const forward = (signal: NodeJS.Signals): void => {
    child.kill(signal);
  };
  const receive = (signal: EndSignal): void => {
    onSignal?.(signal);
    if (!keySignals.includes(signal) || !isInForeground()) forward(signal);
  };
  for (const signal of signalsForPrograms) process.on(signal, forward);
  try {
    return await interruption.leaveTo(receive, async () => {
      const status = await ended;
      const wasKey = keySignals.some((signal) => status === exitCodeOfSignal(signal));
      if (onSignal && wasKey) await interruptIsSeen(interruption.signal);
      return status;
    });
  } catch (error) {
    throw await startFailure(program, error, { cwd, env, notFound });
  } finally {
    for (const signal of signalsForPrograms) process.off(signal, forward);
  }
};

/** Describes why a program did not start. A missing interpreter of a script gets the same code from the system as a missing program. */
const startFailure = async (
  program: string,
  error: unknown,
  { cwd, env, notFound }: Pick<ProgramOptions, "cwd" | "env" | "notFound">,
): Promise<CliError> => {
  const code = errorCode(error);
  if (code !== "ENOENT" && code !== "EACCES") return programFailedToStart(program, causeText(error));
  const { programExists } = await import("./program-exists.js");
  if (!programExists(program, { cwd, env })) return programNotFound(program, notFound);
  return code === "EACCES" ? notExecutable(program) : interpreterNotFound(program);
};
