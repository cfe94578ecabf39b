import { type ChildProcess, spawn, type StdioOptions } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import type { Context } from "../../input/context.js";
import { causeText } from "../../errors/cli-error.js";
import { clientFailed } from "../../errors/postgres-errors.js";
import { programFailedToStart } from "../../errors/run-errors.js";
import { throwIfInterrupted } from "../run/shared-interrupt.js";
import type { ClientProgram } from "./client-programs.js";

/** Where a program reads and writes: an open file, a pipe, or nothing. */
type Stream = number | "pipe" | "ignore";

export interface ClientOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly stdin: Stream;
  readonly stdout: Stream;
}

export interface RunningClient {
  /** Its standard input, if that is a pipe. */
  readonly stdin: Writable | null;
  /** Its standard output, if that is a pipe. */
  readonly stdout: Readable | null;
  /**
   * Resolves to what it wrote to standard error when it has succeeded.
   *
   * @throws `program:failed` with the last thing that it said; `program:not_started`; the reason of the signal.
   */
  readonly ended: Promise<string>;
  readonly kill: () => void;
}

/** How much of what a program says is kept. A restore may complain about every table. */
const keptCharacters = 64 * 1_024;

/** How long a program may take to end in an orderly way. */
const patienceMs = 3_000;

/** Starts a client program of Postgres. It ends when the signal is aborted. */
export const startClient = (
  { path, name }: ClientProgram,
  args: readonly string[],
  { env, stdin, stdout }: ClientOptions,
  { cwd, signal }: Pick<Context, "cwd" | "signal">,
): RunningClient => {
  const stdio: StdioOptions = [stdin, stdout, "pipe"];
  const child: ChildProcess = spawn(path, ["--no-password", ...args], { cwd, env, stdio });
  let patience: NodeJS.Timeout | undefined;
  const kill = (): void => {
    // On this signal alone, psql cancels what the server is doing. It ignores it while it waits for its input.
    child.kill("SIGINT");
    patience ??= setTimeout(() => child.kill("SIGTERM"), patienceMs);
  };
  let said = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    said = (said + text).slice(-keptCharacters);
  });
  // A program that has failed no longer reads; its exit status says so.
  child.stdin?.on("error", () => undefined);
  if (signal.aborted) kill();
  signal.addEventListener("abort", kill, { once: true });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once("error", (error) => reject(programFailedToStart(name, causeText(error))));
    child.once("close", resolve);
  }).then(async (code) => {
    clearTimeout(patience);
    signal.removeEventListener("abort", kill);
    signal.throwIfAborted();
    if (code === 0) return said.trim();
    await throwIfInterrupted(signal);
    throw clientFailed(name, said);
  });
  // Whoever waits for several of them sees the failure of the first.
  ended.catch(() => undefined);
  return { stdin: child.stdin, stdout: child.stdout, ended, kill };
};
