import { spawn } from "node:child_process";
import { constants } from "node:os";
import type { Context } from "../../context.js";
import { causeText } from "../../errors/cli-error.js";
import { programFailedToStart, programNotFound } from "../../errors/run-errors.js";
import { ProgramEnded } from "../../exit-codes.js";

const forwarded = ["SIGTERM", "SIGHUP"] as const;

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
  const child = spawn(program, args, { cwd: context.cwd, env, stdio: "inherit" });
  const listeners = forwarded.map((signal) => [signal, (): void => void child.kill(signal)] as const);
  for (const [signal, forward] of listeners) process.on(signal, forward);
  try {
    const status = await new Promise<number>((resolve, reject) => {
      child.once("error", reject);
      child.once("close", (code, signal) =>
        resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal])),
      );
    });
    if (status !== 0) throw new ProgramEnded(status);
  } catch (error) {
    if (error instanceof ProgramEnded) throw error;
    if (error instanceof Error && "code" in error && error.code === "ENOENT") {
      throw programNotFound(program, hints.notFound);
    }
    throw programFailedToStart(program, causeText(error));
  } finally {
    for (const [signal, forward] of listeners) process.off(signal, forward);
  }
};
