import { EventEmitter } from "node:events";
import { PassThrough } from "node:stream";
import manifest from "../package.json";
import { main, type ProcessLike } from "../src/main.js";
import { noConfigDir, words } from "./terminal.js";

export interface Captured {
  status: number;
  stdout: string;
  stderr: string;
}

export interface Around {
  env?: NodeJS.ProcessEnv;
  stdin?: string;
  /** Standard input, output and error are a terminal. */
  terminal?: boolean;
  /** Typed at the terminal when the question stands there. */
  typed?: string;
  /** Ctrl-C is pressed once this holds of standard output. */
  interruptWhen?: (stdout: string) => boolean | Promise<boolean>;
}

/** The command without a process of its own: quick, and with a terminal where one is needed. */
export const runInProcess = async (line: readonly string[], around: Around = {}): Promise<Captured> => {
  const env = { MGMT_CONFIG_DIR: noConfigDir, ...around.env };
  const { stdin = "", terminal = false, typed, interruptWhen } = around;
  const [input, output, errors] = [new PassThrough(), new PassThrough(), new PassThrough()];
  let [stdout, stderr, answered] = ["", "", false];
  const signals = new EventEmitter();
  output.setEncoding("utf8").on("data", async (text: string) => {
    stdout += text;
    if (await interruptWhen?.(stdout)) signals.emit("SIGINT");
  });
  errors.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
    if (typed === undefined || answered || !stderr.includes("Continue?")) return;
    answered = true;
    setImmediate(() => input.write(typed));
  });
  if (!terminal) input.end(stdin);
  // What Node knows the streams of a process by: they are never ended.
  for (const stream of [input, output, errors]) Object.assign(stream, { isTTY: terminal, _isStdio: true });
  const once = signals.once.bind(signals);
  const surroundings = { stdin: input, stdout: output, stderr: errors, env, once };
  // What the command uses of a process is there; the streams are no real terminals, that is the point.
  const status = await main(line, manifest.version, surroundings as unknown as ProcessLike);
  return { status, stdout, stderr };
};

/** mgmt`projects list`, with the environment that goes with it. */
export const inProcess =
  (around: Around = {}) =>
  (strings: TemplateStringsArray, ...values: readonly string[]): Promise<Captured> =>
    runInProcess(words(strings, values), around);
