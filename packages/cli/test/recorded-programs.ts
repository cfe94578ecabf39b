import { ChildProcess } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync, writeSync } from "node:fs";
import { basename, dirname, isAbsolute, join } from "node:path";
import { PassThrough } from "node:stream";
import { finished } from "node:stream/promises";
import { onTestFinished } from "vitest";
import { temporaryFolder } from "./folders.js";

/** How a program was started. */
export interface ProgramCall {
  readonly name: string;
  /** As it was passed. */
  readonly path: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string | undefined;
  /** Its standard input, if that is a pipe. Ends when the command closes it. */
  readonly stdin: AsyncIterable<Uint8Array>;
  /** Resolves to the first signal that is sent to it. */
  readonly killed: Promise<string>;
}

/** How a program ends. Default: with the status 0, and without output. */
export interface ProgramEnd {
  readonly stdout?: string | Uint8Array | undefined;
  readonly stderr?: string;
  readonly status?: number;
  /** The signal that ended it, instead of a status. */
  readonly signal?: string;
  /** The code of the system's error, if the program does not start at all. */
  readonly error?: string;
}

type FakeProgram = (call: ProgramCall) => ProgramEnd | undefined | Promise<ProgramEnd | undefined>;

export interface RecordedPrograms {
  /** The only folder of PATH: has a file for each program, none of which is run. */
  readonly env: { readonly PATH: string };
  /** The calls so far, except those that only ask for the version. */
  readonly calls: ProgramCall[];
  /** Returns the arguments of each call of a program as one string. */
  linesOf(name: string): string[];
}

/** Version of the programs of Postgres and of the server that psql says it is connected to. */
export const programVersion = "18.4";

/**
 * Has functions answer instead of programs until the end of the test, which starts no process. No other program starts.
 *
 * @param programs by their names, or by the absolute paths of those that are not looked for in PATH.
 */
export const recordPrograms = (programs: Readonly<Record<string, FakeProgram>>): RecordedPrograms => {
  const folder = join(temporaryFolder(), "bin");
  mkdirSync(folder);
  for (const name of Object.keys(programs)) {
    if (isAbsolute(name)) continue;
    writeFileSync(join(folder, name), "");
    chmodSync(join(folder, name), 0o755);
  }
  const calls: ProgramCall[] = [];
  const start = (call: ProgramCall): ReturnType<FakeProgram> => {
    if (call.args[0] === "--version") return { stdout: `${call.name} (PostgreSQL) ${programVersion}\n` };
    calls.push(call);
    return (programs[call.path] ?? programs[call.name])?.(call);
  };
  const { spawn: originalSpawn } = prototype;
  prototype.spawn = function (this: FakeChild, options: SpawnOptions) {
    const { file } = options;
    const isKnown = file in programs || (dirname(file) === folder && basename(file) in programs);
    return startFake(this, options, isKnown ? start : () => ({ error: "ENOENT" }));
  };
  onTestFinished(() => {
    prototype.spawn = originalSpawn;
  });
  return {
    env: { PATH: folder },
    calls,
    linesOf: (name) => calls.flatMap((call) => (call.name === name ? [call.args.join(" ")] : [])),
  };
};

/** The options that Node.js passes to the method behind `spawn` and `execFile`. */
interface SpawnOptions {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd?: string;
  readonly envPairs?: readonly string[];
  readonly stdio?: string | readonly unknown[];
}

/** The members of a child process that are set when it starts. */
interface FakeChild {
  pid: number;
  stdin: PassThrough | null;
  stdout: PassThrough | null;
  stderr: PassThrough | null;
  killed: boolean;
  exitCode: number | null;
  signalCode: string | null;
  kill: (signal?: string) => boolean;
  emit: (event: string, ...values: unknown[]) => boolean;
}

// The method is not declared: all functions that do not wait for the process call it.
const prototype = ChildProcess.prototype as unknown as { spawn: (options: SpawnOptions) => number };

const startFake = (child: FakeChild, options: SpawnOptions, start: FakeProgram): number => {
  const { file, args, cwd, envPairs = [], stdio } = options;
  const targets = Array.isArray(stdio) ? stdio : [stdio, stdio, stdio];
  const openPipe = (index: number): PassThrough | null =>
    [undefined, null, "pipe"].includes(targets[index]) ? new PassThrough() : null;
  const [stdin, stdout, stderr] = [openPipe(0), openPipe(1), openPipe(2)];
  let sendSignal: (signal: string) => void = () => undefined;
  const killed = new Promise<string>((resolve) => (sendSignal = resolve));
  const kill = (signal = "SIGTERM"): boolean => {
    child.killed = true;
    sendSignal(signal);
    return true;
  };
  Object.assign(child, { pid: 4_194_305, stdin, stdout, stderr, kill });
  const env = Object.fromEntries(
    envPairs.map((pair) => [pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1)]),
  );
  const call = {
    name: basename(file),
    path: file,
    args: args.slice(1),
    env,
    cwd,
    stdin: stdin ?? new PassThrough().end(),
    killed,
  };
  const end = (output: PassThrough | null, index: number, text: string | Uint8Array): unknown => {
    const target = targets[index];
    if (typeof target === "number" && text.length > 0) writeSync(target, Buffer.from(text));
    return output?.end(text);
  };
  const run = async (): Promise<void> => {
    const result = (await start(call)) ?? {};
    if (result.error !== undefined) {
      const error = Object.assign(new Error(`spawn ${file} ${result.error}`), { code: result.error });
      for (const output of [stdout, stderr]) output?.end();
      child.emit("error", error);
      return;
    }
    end(stdout, 1, result.stdout ?? "");
    end(stderr, 2, result.stderr ?? "");
    child.exitCode = result.signal === undefined ? (result.status ?? 0) : null;
    child.signalCode = result.signal ?? null;
    child.emit("exit", child.exitCode, child.signalCode);
    const outputs = [stdout, stderr].flatMap((output) => output ?? []);
    await Promise.all(outputs.map((output) => finished(output).catch(() => undefined)));
    child.emit("close", child.exitCode, child.signalCode);
  };
  setImmediate(() => void run());
  return 0;
};
