import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { Reply } from "../programs/calls.js";
import { programFolder } from "./paths.js";

/** The calls of a program, as its parent sees them. */
export type Remote<Calls> = {
  readonly [Name in keyof Calls]: Calls[Name] extends (...input: infer Input) => infer Output
    ? (...input: Input) => Promise<Awaited<Output>>
    : never;
};

export interface Program<Calls> {
  readonly calls: Remote<Calls>;
  stop(): Promise<void>;
}

/** Maximum duration of one call, in milliseconds. */
const callTimeout = 120_000;

/** Starts a file of `programs/` in its own process, which serves calls over IPC and ends with its parent. */
export const startProgram = async <Calls extends object>(
  name: string,
  nodeOptions: readonly string[] = [],
  folder = programFolder,
): Promise<Program<Calls>> => {
  const child = fork(join(folder, `${name}.js`), [], {
    execArgv: [...nodeOptions],
    stdio: ["ignore", 2, 2, "ipc"],
  });
  await Promise.race([
    once(child, "message"),
    once(child, "exit").then(() => Promise.reject(new Error(`${name} ended before it was ready`))),
  ]);
  const calls = new Proxy(
    {},
    {
      get:
        (_target, call) =>
        (...input: unknown[]) =>
          ask(child, name, String(call), input),
    },
  );
  return {
    // The program passes exactly these calls to `serveCalls<Calls>`.
    calls: calls as Remote<Calls>,
    stop: () => stop(child),
  };
};

const ask = (child: ChildProcess, program: string, call: string, input: unknown[]): Promise<unknown> =>
  new Promise((resolve, reject) => {
    const settle = (act: () => void): void => {
      clearTimeout(timer);
      child.off("message", onMessage).off("exit", onExit);
      act();
    };
    // Only programs of this folder write to this channel.
    const onMessage = (reply: unknown): void => {
      const { value, error } = reply as Reply;
      settle(() => {
        if (error === undefined) resolve(value);
        else reject(new Error(`${program} ${call}: ${error}`));
      });
    };
    const onExit = (): void => {
      settle(() => {
        reject(new Error(`${program} ended during ${call}`));
      });
    };
    const timer = setTimeout(() => {
      child.kill("SIGKILL");
    }, callTimeout);
    child.on("message", onMessage).on("exit", onExit);
    child.send({ call, input });
  });

const stop = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.disconnect();
  await ended;
};
