import { spawn } from "node:child_process";
import { chmod, cp, rm } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, onTestFinished } from "vitest";
import { setupBuilds } from "../build.js";
import { makeSharedFolder, nobody } from "./folders.js";

/**
 * Call at the top of a test file. Returns a function that bundles a program with the SDK's sources, which every user may
 * read; the programs are removed after the tests of the file.
 */
export const setupPrograms = (): ((source: string) => Promise<string>) => {
  const { bundle } = setupBuilds();
  const made: string[] = [];
  afterAll(async () => {
    for (const folder of made) await rm(folder, { recursive: true, force: true });
  });
  return async (source) => {
    const folder = await makeSharedFolder();
    made.push(folder);
    const file = join(folder, "program.mjs");
    await cp(await bundle(source, { external: [] }), file);
    await chmod(file, 0o644);
    return file;
  };
};

export interface Program {
  pid: number;
  /** Lines it has printed. */
  lines: string[];
  /** Resolves when it has printed a line with this beginning. */
  printed: (beginning: string) => Promise<void>;
  say: (line: string) => void;
  kill: (signal: NodeJS.Signals) => void;
  /** Resolves with its exit code, or with the signal that ended it. */
  ended: Promise<number | NodeJS.Signals | null>;
  errors: () => string;
}

/** Starts a program as a user whom file modes restrict. It is killed when the test ends. */
export const run = (program: string, ...args: string[]): Program => {
  const child = spawn(process.execPath, [program, ...args], { ...nobody, stdio: "pipe" });
  onTestFinished(() => void child.kill("SIGKILL"));
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
