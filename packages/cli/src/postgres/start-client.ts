import { type ChildProcess, spawn, type StdioOptions } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import type { Context } from "../input/context.js";
import { causeText } from "../errors/cli-error.js";
import { ProgramEnded } from "../errors/exit-codes.js";
import { clientFailed, clientKilled } from "../errors/postgres-errors.js";
import { programFailedToStart } from "../errors/run-errors.js";
import { throwIfInterrupted } from "../system/shared-interrupt.js";
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
   * Resolves to its standard error when it has succeeded.
   *
   * @throws `program:failed` with the first error that it reported; `program:killed`; `program:not_started`; the reason of the signal; and
   *   `ProgramEnded` if nobody reads what it writes any more.
   */
  readonly ended: Promise<string>;
  readonly kill: () => void;
}

/** How much of the output of a program is kept. A restore may complain about every table. */
const keptCharacters = 64 * 1_024;

/** How long a program may take to end in an orderly way. */
const patienceMs = 3_000;

/** The status of a program that writes to a pipe without a reader: 128 and the number of SIGPIPE. */
const brokenPipe = 141;

/** Makes psql print the codes of errors, which are the same in every language. */
const verbose: Readonly<Record<string, readonly string[]>> = { psql: ["--set=VERBOSITY=verbose"] };

/** Starts a client program of Postgres. It ends when the signal is aborted. */
export const startClient = (
  { path, name }: ClientProgram,
  args: readonly string[],
  { env, stdin, stdout }: ClientOptions,
  { cwd, signal }: Pick<Context, "cwd" | "signal">,
): RunningClient => {
  const stdio: StdioOptions = [stdin, stdout, "pipe"];
  const flags = ["--no-password", ...(verbose[name] ?? []), ...args];
  // Its messages are read, so that they must be English.
  const child: ChildProcess = spawn(path, flags, { cwd, env: { ...env, LC_ALL: "C" }, stdio });
  let patience: NodeJS.Timeout | undefined;
  const kill = (): void => {
    // On this signal alone, psql cancels what the server is doing. It ignores it while it waits for its input.
    child.kill("SIGINT");
    patience ??= setTimeout(() => child.kill("SIGTERM"), patienceMs);
  };
  let stderrTail = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    stderrTail = (stderrTail + text).slice(-keptCharacters);
  });
  // A program that has failed no longer reads; its exit status says so.
  child.stdin?.on("error", () => undefined);
  if (signal.aborted) kill();
  signal.addEventListener("abort", kill, { once: true });
  const ended = new Promise<[code: number | null, signal: NodeJS.Signals | null]>((resolve, reject) => {
    child.once("error", (error) => reject(programFailedToStart(name, causeText(error))));
    child.once("close", (...status) => resolve(status));
  }).then(async ([code, endSignal]) => {
    clearTimeout(patience);
    signal.removeEventListener("abort", kill);
    signal.throwIfAborted();
    if (code === 0) return stderrTail.trim();
    await throwIfInterrupted(signal);
    // As `mgmt db dump | head` leaves it, which is no failure.
    if (typeof stdout === "number" && (endSignal === "SIGPIPE" || /Broken pipe/.test(stderrTail))) {
      throw new ProgramEnded(brokenPipe);
    }
    throw endSignal === null ? clientFailed(name, stderrTail) : clientKilled(name, endSignal, stderrTail);
  });
  // Whoever waits for several of them sees the failure of the first.
  ended.catch(() => undefined);
  return { stdin: child.stdin, stdout: child.stdout, ended, kill };
};
