import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { Build } from "./measurement.js";

export interface Program<Result> {
  /** What the program answered to its input. */
  readonly result: Result;
  /** Returns the microseconds of processor time that its process has used. */
  processorTime(): Promise<number>;
}

/** Runs a file of `programs/` in its own process, which ends with `use`, or with its parent. */
export const withProgram = async <Result, Output>(
  build: Build,
  name: string,
  input: object,
  use: (program: Program<Result>) => Promise<Output> | Output,
): Promise<Output> => {
  const file = join(build.folder, "programs", `${name}.js`);
  const child = fork(file, [], { execArgv: [], stdio: ["ignore", 2, 2, "ipc"] });
  const ended = once(child, "exit");
  const ask = async <Reply>(message: object): Promise<Reply> => {
    child.send(message);
    const replied = await Promise.race([once(child, "message"), ended.then(() => undefined)]);
    if (!replied) throw new Error(`${name} ended`);
    // Only the program writes to this channel.
    return replied[0] as Reply;
  };
  try {
    return await use({ result: await ask<Result>(input), processorTime: () => ask<number>({}) });
  } finally {
    if (child.connected) child.disconnect();
    await ended;
  }
};

/** Returns the number that a program answers. */
export const runProgram = (build: Build, name: string, input: object): Promise<number> =>
  withProgram(build, name, input, ({ result }: Program<number>) => result);
