import { spawn } from "node:child_process";
import { constants } from "node:os";
import type { Context } from "../../context.js";
import { causeText } from "../../errors/cli-error.js";
import { programFailedToStart, programNotFound } from "../../errors/run-errors.js";
import { ProgramEnded } from "../../exit-codes.js";

const forwarded = ["SIGTERM", "SIGHUP"] as const;

/** How a program is started. */
export interface ProgramOptions {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** `inherit`, or for each of standard input, output and error a stream of this process or `ignore`. */
  readonly stdio: "inherit" | readonly ("ignore" | number)[];
  /** What to do if the program is not found. */
  readonly notFound: string;
}

/**
 * Runs a program on the streams of this process until it ends. Signals that end this process are forwarded to it; Ctrl-C
 * reaches it from the terminal. The program does not get the token of the service.
 *
 * @param variables environment variables to set beside those of this process.
 * @throws ProgramEnded unless the program exits with 0; `program:not_found`; `program:not_started`.
 */
export const runProgram = async (
  program: string,
  args: readonly string[],
  variables: Readonly<Record<string, string>>,
  context: Pick<Context, "env" | "cwd">,
  hints: { notFound: string },
): Promise<void> => {
  const { MGMT_TOKEN: _, ...inherited } = context.env;
  const env = { ...inherited, ...variables };
  const status = await exitStatusOf(program, args, { cwd: context.cwd, env, stdio: "inherit", ...hints });
  if (status !== 0) throw new ProgramEnded(status);
};

/**
 * Runs a program until it ends, and returns its exit status. Signals that end this process are forwarded to it.
 *
 * @throws `program:not_found`; `program:not_started`.
 */
export const exitStatusOf = async (
  program: string,
  args: readonly string[],
  { cwd, env, stdio, notFound }: ProgramOptions,
): Promise<number> => {
  const child = spawn(program, args, { cwd, env, stdio: typeof stdio === "string" ? stdio : [...stdio] });
  const listeners = forwarded.map((signal) => [signal, (): void => void child.kill(signal)] as const);
  for (const [signal, forward] of listeners) process.on(signal, forward);
  try {
    return await new Promise<number>((resolve, reject) => {
      child.once("error", reject);
      child.once("close", (code, signal) =>
        resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal])),
      );
    });
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") {
      throw programNotFound(program, notFound);
    }
    throw programFailedToStart(program, causeText(error));
  } finally {
    for (const [signal, forward] of listeners) process.off(signal, forward);
  }
};
