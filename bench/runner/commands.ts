import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import type { Series } from "./bench.js";

/** A program that is measured from its start to its exit. */
export interface MeasuredCommand {
  readonly name: string;
  readonly program: string;
  readonly parameters: readonly string[];
  /** The whole environment, besides `PATH` and `HOME`. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Throws if the output is wrong. Runs after the time is taken. */
  check(output: string): void;
}

export interface CommandTimes {
  readonly wall: Series;
  /** User and system time. Empty where there is no bash, whose `time` measures it. */
  readonly processor: Series;
}

interface CommandRounds {
  readonly warmUp: number;
  readonly rounds: number;
  /** `HOME` of the commands. */
  readonly home: string;
}

const hasBash = spawnSync("bash", ["-c", "time :"]).status === 0;

/** Measures whole processes alternately (A B A B) in a clean environment, so that nothing of the caller's slows them down. */
export const measureCommands = async (
  commands: readonly MeasuredCommand[],
  { warmUp, rounds, home }: CommandRounds,
): Promise<CommandTimes[]> => {
  const times = commands.map(({ name }) => ({
    wall: { name, unit: "ms" as const, rounds: [] as number[] },
    processor: { name, unit: "ms" as const, rounds: [] as number[] },
  }));
  for (let round = -warmUp; round < rounds; round += 1) {
    for (const [index, command] of commands.entries()) {
      const { wall, processor } = await timesOf(command, home);
      if (round < 0) continue;
      times[index]?.wall.rounds.push(wall);
      if (processor !== undefined) times[index]?.processor.rounds.push(processor);
    }
  }
  return times;
};

/** Runs a command under bash's `time`, which prints seconds to the shell's standard error; the command's goes to ours. */
const timed = 'TIMEFORMAT="%3R %3U %3S"; time "$@" 2>&3';

const timesOf = async (
  { name, program, parameters, environment, check }: MeasuredCommand,
  home: string,
): Promise<{ wall: number; processor?: number }> => {
  const line = [program, ...parameters];
  const [file = "", ...rest] = hasBash ? ["bash", "-c", timed, "bash", ...line] : line;
  const started = performance.now();
  const child = spawn(file, rest, {
    env: { PATH: process.env["PATH"], HOME: home, ...environment },
    stdio: ["ignore", "pipe", "pipe", "inherit"],
  });
  const { stdout, stderr } = child;
  assert.ok(stdout && stderr);
  const [output, errors, [status]] = await Promise.all([text(stdout), text(stderr), once(child, "exit")]);
  const elapsed = performance.now() - started;
  assert.equal(status, 0, `${name}: ${output}${errors}`);
  check(output);
  if (!hasBash) return { wall: elapsed };
  const [real = Number.NaN, user = Number.NaN, system = Number.NaN] = errors
    .trim()
    .split(" ")
    .map((seconds) => Number(seconds) * 1_000);
  return { wall: real, processor: user + system };
};
