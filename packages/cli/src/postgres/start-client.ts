import { type ChildProcess, spawn, type StdioOptions } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import type { Context } from "../input/context.js";
import { describeCause } from "../errors/cli-error.js";
import { ProgramExitError } from "../errors/exit-codes.js";
import { clientFailedError, clientKilledError } from "../errors/postgres-errors.js";
import { programNotStartedError } from "../errors/program-errors.js";
import { throwIfInterrupted } from "../system/shared-interrupt.js";
import type { ClientProgram } from "./client-programs.js";

/** Where a program reads and writes: an open file, a pipe, or nothing. */
type StdioTarget = number | "pipe" | "ignore";

/** The environment and the standard streams of a client program. */
export interface ClientOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly stdin: StdioTarget;
  readonly stdout: StdioTarget;
}

/** A client program that has been started. */
export interface RunningClient {
  /** Its standard input, if that is a pipe. */
  readonly stdin: Writable | null;
  /** Its standard output, if that is a pipe. */
  readonly stdout: Readable | null;
  /**
   * Resolves to its standard error when it has succeeded.
   *
   * @throws `program:failed` with the first error that it reported; `program:killed`; `program:not_started`; the reason of the signal; and
   * `ProgramExitError` if its output is no longer read.
   */
  readonly exited: Promise<string>;
  readonly kill: () => void;
}

/** How much of the output of a program is kept. A restore may complain about every table. */
const maxStderrCharacters = 64 * 1_024;

/** How long a program may take to end in an orderly way. */
const terminateDelayMs = 3_000;

/** The status of a program that writes to a pipe without a reader: 128 and the number of SIGPIPE. */
const brokenPipeStatus = 141;

/** Makes psql print the codes of errors, which are the same in every language. */
const verbosityFlags: Readonly<Record<string, readonly string[]>> = { psql: ["--set=VERBOSITY=verbose"] };

/** Starts a client program of Postgres. It ends when the signal is aborted. */
export const startClient = (
  { path, name }: ClientProgram,
  args: readonly string[],
  { env, stdin, stdout }: ClientOptions,
  { cwd, signal }: Pick<Context, "cwd" | "signal">,
): RunningClient => {
  const stdio: StdioOptions = [stdin, stdout, "pipe"];
  const flags = ["--no-password", ...(verbosityFlags[name] ?? []), ...args];
  // The messages of the program are parsed, so they must be in English.
  const child: ChildProcess = spawn(path, flags, { cwd, env: { ...env, LC_ALL: "C" }, stdio });
  let terminateTimer: NodeJS.Timeout | undefined;
  const kill = (): void => {
    // On this signal alone, psql cancels what the server is doing. It ignores it while it waits for its input.
    child.kill("SIGINT");
    terminateTimer ??= setTimeout(() => child.kill("SIGTERM"), terminateDelayMs);
  };
  let stderrTail = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    stderrTail = (stderrTail + text).slice(-maxStderrCharacters);
  });
  // A program that has failed no longer reads; its exit status reports the failure.
  child.stdin?.on("error", () => undefined);
  if (signal.aborted) kill();
  signal.addEventListener("abort", kill, { once: true });
  const exited = new Promise<[code: number | null, signal: NodeJS.Signals | null]>((resolve, reject) => {
    child.once("error", (error) => reject(programNotStartedError(name, describeCause(error))));
    child.once("close", (...status) => resolve(status));
  }).then(async ([code, exitSignal]) => {
    clearTimeout(terminateTimer);
    signal.removeEventListener("abort", kill);
    signal.throwIfAborted();
    if (code === 0) return stderrTail.trim();
    await throwIfInterrupted(signal);
    // `mgmt db dump | head` causes this, which is not a failure.
    if (typeof stdout === "number" && (exitSignal === "SIGPIPE" || /Broken pipe/.test(stderrTail))) {
      throw new ProgramExitError(brokenPipeStatus);
    }
    throw exitSignal === null
      ? clientFailedError(name, stderrTail)
      : clientKilledError(name, exitSignal, stderrTail);
  });
  // Whoever waits for several of them sees the failure of the first.
  exited.catch(() => undefined);
  return { stdin: child.stdin, stdout: child.stdout, exited, kill };
};
