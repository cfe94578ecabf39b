import { type ChildProcess, spawn } from "node:child_process";
import { chmod, cp } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, afterEach } from "vitest";
import { bundle } from "../build.js";
import { makeSharedFolder, nobody } from "./folders.js";

/** Bundles a program with the SDK's sources, where nobody may read it too. */
export const makeProgram = async (source: string): Promise<string> => {
  const file = join(await makeSharedFolder(), "program.mjs");
  await cp(await bundle(source, { external: [] }), file);
  await chmod(file, 0o644);
  return file;
};

export interface Program {
  pid: number;
  /** Lines that it has printed. */
  lines: string[];
  /** Resolves when it has printed a line that begins so. */
  printed: (beginning: string) => Promise<void>;
  say: (line: string) => void;
  kill: (signal: NodeJS.Signals) => void;
  /** How it ended: its exit code, or the signal that ended it. */
  ended: Promise<number | NodeJS.Signals | null>;
  errors: () => string;
}

const running = new Set<ChildProcess>();
const killAll = (): void => {
  for (const child of running) child.kill("SIGKILL");
};
afterEach(killAll);
afterAll(killAll);

/** Runs it as a real process, as nobody when this one is root's. Ends with the test. */
export const run = (program: string, ...args: string[]): Program => {
  const child = spawn(process.execPath, [program, ...args], { ...nobody, stdio: "pipe" });
  running.add(child);
  const lines: string[] = [];
  let errors = "";
  const waiting = new Set<() => void>();
  createInterface(child.stdout).on("line", (line) => {
    lines.push(line);
    for (const look of waiting) look();
  });
  child.stderr.on("data", (chunk: Buffer) => (errors += String(chunk)));
  const ended = new Promise<number | NodeJS.Signals | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, signal) => {
      running.delete(child);
      resolve(code ?? signal);
    });
  });
  return {
    pid: child.pid ?? 0,
    lines,
    printed: (beginning) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          if (!lines.some((line) => line.startsWith(beginning))) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
        void ended.then((how) => reject(new Error(`It ended with ${how} before "${beginning}": ${errors}`)));
      }),
    say: (line) => void child.stdin.write(`${line}\n`),
    kill: (signal) => void child.kill(signal),
    ended,
    errors: () => errors,
  };
};
