import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";

/** A program that is measured from its start to its exit. */
export interface Command {
  readonly program: string;
  readonly parameters: readonly string[];
  /** The whole environment, besides `PATH`. */
  readonly environment: Readonly<Record<string, string>>;
  /** Throws if the output is wrong. Runs after the time is taken. */
  check(output: string): void;
}

/** Runs a command under bash's `time`, which prints seconds to the shell's standard error; the command's goes to ours. */
const timed = 'TIMEFORMAT="%3R %3U %3S"; time "$@" 2>&3';

/** Returns the milliseconds of a whole process, in an environment in which nothing of the caller's slows it down: wall and processor time. */
export const timesOf = async (command: Command): Promise<[wall: number, processor: number]> => {
  const { program, parameters, environment, check } = command;
  const child = spawn("bash", ["-c", timed, "bash", program, ...parameters], {
    env: { PATH: process.env["PATH"], ...environment },
    stdio: ["ignore", "pipe", "pipe", "inherit"],
  });
  const { stdout, stderr } = child;
  assert.ok(stdout && stderr);
  const [output, times, [status]] = await Promise.all([text(stdout), text(stderr), once(child, "exit")]);
  assert.equal(status, 0, `${program} ${parameters.join(" ")}: ${output}${times}`);
  check(output);
  const [real = Number.NaN, user = Number.NaN, system = Number.NaN] = times
    .trim()
    .split(" ")
    .map((seconds) => Number(seconds) * 1_000);
  return [real, user + system];
};
