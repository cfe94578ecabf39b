import { spawn } from "node:child_process";
import { chmod, cp, rm } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, afterEach, onTestFinished } from "vitest";
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
  /** Lines that it has printed. */
  lines: string[];
  /** Resolves when it has printed a line that starts with this text. */
  printed: (beginning: string) => Promise<void>;
  say: (line: string) => void;
  kill: (signal: NodeJS.Signals) => void;
  /** Resolves with its exit code, or with the signal that ended it. */
  ended: Promise<number | NodeJS.Signals | null>;
  errors: () => string;
}

/** Starts a program as a user to whom file modes apply. It is killed when the test ends. */
export const run = (program: string, ...args: string[]): Program => {
  const running = start(program, args);
  onTestFinished(() => {
    running.kill("SIGKILL");
  });
  return running;
};

interface Processes {
  /** Returns processes that are in their initial state, and starts as many as are missing. */
  start(count: number): Program[];
  /** Returns processes to their initial state, for the next `start`. */
  end(programs: readonly Program[]): Promise<void>;
}

/**
 * Call at the top of a test file. Shares the processes of a program between the tests of the file, because starting one costs
 * more than most tests of it. After a test, those that are alive serve the next one, unless the test failed. The program reads
 * commands from its standard input. At `end` it must return to its initial state, and print `ended`.
 */
export const setupProcesses = (program: () => string): Processes => {
  const idle = new Set<Program>();
  const busy = new Set<Program>();
  const end = async (each: Program): Promise<void> => {
    each.say("end");
    await each.printed("ended");
    each.lines.length = 0;
    busy.delete(each);
    idle.add(each);
  };
  const kill = (each: Program): void => {
    busy.delete(each);
    idle.delete(each);
    each.kill("SIGKILL");
  };
  afterEach(async ({ task }) => {
    const isReusable = task.result?.state !== "fail";
    // A test may have killed some of its processes.
    await Promise.all([...busy].map((each) => (isReusable ? end(each).catch(() => kill(each)) : kill(each))));
  });
  afterAll(() => {
    for (const each of [...idle, ...busy]) kill(each);
  });
  return {
    start(count) {
      const programs = [...idle].slice(0, count);
      while (programs.length < count) programs.push(start(program(), []));
      for (const each of programs) {
        idle.delete(each);
        busy.add(each);
      }
      return programs;
    },
    end: async (programs) => {
      await Promise.all(programs.map(end));
    },
  };
};

const start = (program: string, args: string[]): Program => {
  const child = spawn(process.execPath, [program, ...args], { ...nobody, stdio: "pipe" });
  const lines: string[] = [];
  let errors = "";
  const waiting = new Set<() => void>();
  createInterface(child.stdout).on("line", (line) => {
    lines.push(line);
    for (const look of waiting) look();
  });
  // The program may have been killed.
  child.stdin.on("error", () => undefined);
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
