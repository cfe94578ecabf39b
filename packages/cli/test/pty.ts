import { spawn, spawnSync } from "node:child_process";
import { readlinkSync } from "node:fs";
import { stripVTControlCharacters } from "node:util";
import { expect } from "vitest";
import { bin } from "./bin.js";
import { cacheDir } from "./folders.js";

export interface Step {
  /** What must be on the screen before anything is typed. */
  when: RegExp;
  type: string | ((seen: RegExpExecArray, send: (text: string) => void) => string | Promise<string>);
}

interface Seen {
  status: number | null;
  /** Without control characters. */
  screen: string;
  raw: string;
}

/** Runs the command in a pseudo-terminal, and types what the steps say, one after the other. */
export const inPty = (
  words: readonly string[],
  steps: readonly Step[],
  env?: NodeJS.ProcessEnv,
  columns?: number,
  cwd?: string,
): Promise<Seen> => programInPty([process.execPath, bin, ...words], steps, env, columns, cwd);

/** Does the same with any program. */
export const programInPty = async (
  program: readonly string[],
  steps: readonly Step[],
  env: NodeJS.ProcessEnv = {},
  // Wide enough that addresses do not wrap.
  columns = 500,
  cwd?: string,
): Promise<Seen> => {
  const line = program.map((word) => `'${word}'`).join(" ");
  const child = spawn("script", ["-qfec", `stty cols ${columns}; echo pid $$.; exec ${line}`, "/dev/null"], {
    env: {
      PATH: process.env["PATH"],
      HOME: process.env["HOME"],
      XDG_CACHE_HOME: cacheDir,
      TERM: "xterm",
      MGMT_NO_UPDATE_NOTIFIER: "1",
      ...env,
    },
    stdio: "pipe",
    ...(cwd !== undefined && { cwd }),
  });
  let [raw, looked] = ["", 0];
  const left = [...steps];
  const send = (text: string): void => {
    child.stdin.write(text);
  };
  child.stdout.setEncoding("utf8").on("data", async (text: string) => {
    raw += text;
    const [step] = left;
    const screen = stripVTControlCharacters(raw);
    const seen = step?.when.exec(screen.slice(looked));
    if (!step || !seen) return;
    left.shift();
    looked = screen.length;
    child.stdin.write(typeof step.type === "string" ? step.type : await step.type(seen, send));
  });
  child.stdin.on("error", () => undefined);
  const status = await new Promise<number | null>((resolve) => child.on("close", resolve));
  expect(left).toEqual([]);
  return { status, raw, screen: stripVTControlCharacters(raw) };
};

/** Whether the terminal passes single keys to the process, rather than lines. */
export const readsKeys = (pid: string): boolean =>
  spawnSync("stty", ["-F", readlinkSync(`/proc/${pid}/fd/0`), "-a"], { encoding: "utf8" }).stdout.includes(
    "-icanon",
  );
