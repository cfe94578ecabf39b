import { EventEmitter } from "node:events";
import { PassThrough } from "node:stream";
import { setImmediate as nextTurn } from "node:timers/promises";
import manifest from "../package.json";
import type { TerminationSignal } from "../src/errors/exit-codes.js";
import { main, type ProcessLike } from "../src/main.js";
import { noConfigDir } from "./folders.js";
import { type Mgmt, type Result, resultOf, words } from "./result.js";

export interface Setup {
  env?: NodeJS.ProcessEnv;
  /** Working directory. */
  cwd?: string;
  /** The whole standard input. */
  stdin?: string | Buffer;
  /** Whether standard input, output and error are a terminal. */
  terminal?: boolean;
  /** Width of the terminal. */
  columns?: number;
  /** Returns what to type once it is asked for on standard error, or undefined before. Typed once. */
  reply?: (stderr: string) => string | undefined | Promise<string | undefined>;
  /** Ctrl-C is pressed when this resolves. */
  interrupt?: Promise<unknown>;
  /** The signal that is sent instead of that of Ctrl-C. */
  signal?: TerminationSignal;
  /** Milliseconds after which a pending request is announced. Default: none is, however slow the machine is. */
  slowRequestMs?: number;
  /** Ctrl-C is pressed once, when this first returns true for standard output. */
  interruptWhen?: (stdout: string) => boolean | Promise<boolean>;
}

/** In milliseconds. */
const longestTimeout = 2 ** 31 - 1;

/** Runs the command inside the test's process, which is fast, and can pretend to be at a terminal. */
export const runInProcess = async (line: readonly string[], setup: Setup = {}): Promise<Result> => {
  const { cwd, stdin = "", terminal = false, columns, reply, interrupt, interruptWhen } = setup;
  const { signal = "SIGINT" } = setup;
  const [input, output, errors] = [new PassThrough(), new PassThrough(), new PassThrough()];
  let [stdout, stderr, isReplying, isInterrupted] = ["", "", false, false];
  const signals = new EventEmitter();
  void interrupt?.then(() => signals.emit(signal));
  output.setEncoding("utf8").on("data", async (text: string) => {
    stdout += text;
    if (!(await interruptWhen?.(stdout)) || isInterrupted) return;
    isInterrupted = true;
    signals.emit(signal);
  });
  errors.setEncoding("utf8").on("data", async (text: string) => {
    stderr += text;
    if (!reply || isReplying) return;
    isReplying = true;
    let typed: string | undefined;
    for (let seen = ""; typed === undefined && seen !== stderr;) {
      seen = stderr;
      typed = await reply(seen);
    }
    if (typed === undefined) isReplying = false;
    else if (terminal) setImmediate(() => input.write(typed));
    else input.end(typed);
  });
  if (!terminal && !reply) input.end(stdin);
  // Node never ends the standard streams, and neither do libraries that see this mark.
  for (const stream of [input, output, errors])
    Object.assign(stream, { isTTY: terminal, columns, _isStdio: true });
  const host = {
    stdin: input,
    stdout: output,
    stderr: errors,
    env: { MGMT_CONFIG_DIR: noConfigDir, ...setup.env },
    cwd: () => cwd ?? process.cwd(),
    on: signals.on.bind(signals),
    slowRequestMs: setup.slowRequestMs ?? longestTimeout,
  };
  // It has everything that the command uses of a process.
  const status = await main(line, manifest.version, host as unknown as ProcessLike);
  await nextTurn();
  return resultOf(status, stdout, stderr);
};

/** Returns a tag for command lines that run with a setup: mgmt`projects list`. */
export const inProcess =
  (setup: Setup = {}): Mgmt =>
  (strings, ...values) =>
    runInProcess(words(strings, values), setup);
