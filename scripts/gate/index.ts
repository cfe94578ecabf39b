import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { buildIfStale } from "../build-if-stale.mjs";
import { responsesFile } from "../responses-file.js";
import { Gate } from "./gate.js";
import { exitStatusOf } from "./job.js";
import {
  type Stage,
  besideBuild,
  endToEndParts,
  first,
  fullParts,
  last,
  stages,
  toProgram,
} from "./stages.js";

const listNames = (parts: readonly Stage[]): string => parts.map(({ name }) => `  ${name}`).join("\n");

const usage = `.ci/run
npm run test:e2e [-- PART ...]
npm run test:full [-- PART ...]
npm run test:e2e -- PART WORD ...

.ci/run runs what every change has to pass. test:e2e runs those of its parts that start something, or those that are named:
${listNames(endToEndParts)}

test:full runs the parts that take too long for every change, or those that are named:
${listNames(fullParts)}

Words after one part, such as test files and options, take the place of its usual words.

Exits with 1 if a part fails, and with 2 on wrong usage.
`;

const fail = (message: string): never => {
  process.stderr.write(`${message}\n\n${usage}`);
  process.exit(2);
};

/**
 * Finds the parts that are named at the start of the arguments.
 * @returns the parts, all of them if none is named, and the words that follow
 */
const readParts = (
  parts: readonly Stage[],
  words: readonly string[],
): { readonly chosen: readonly Stage[]; readonly rest: readonly string[] } => {
  const isPart = (word: string): boolean => parts.some(({ name }) => name === word);
  const end = words.findIndex((word) => !isPart(word));
  const names = end === -1 ? words : words.slice(0, end);
  const rest = words.slice(names.length);
  if (rest.length > 0 && names.length !== 1) {
    const problem = names.length === 0 ? "Unknown part" : "Words after more than one part";
    fail(`${problem}: ${rest.join(" ")}`);
  }
  const chosen = names.length === 0 ? parts : parts.filter(({ name }) => names.includes(name));
  return { chosen, rest };
};

const startRecords = (): void => {
  rmSync(responsesFile, { force: true });
  mkdirSync(dirname(responsesFile), { recursive: true });
};

const runGate = async (): Promise<void> => {
  startRecords();
  const gate = new Gate();
  const [isBuilt] = await Promise.all([gate.run(first), gate.runAll(besideBuild, 1)]);
  if (isBuilt) {
    await gate.runAll(stages, 2);
    if (gate.failed.length === 0) await gate.run(last);
  }
  gate.printEnd();
};

/** Runs a part whose output is printed as it comes. */
const runLive = ({ run, environment }: Stage, words: readonly string[]): void => {
  const [program = "", ...programWords] = toProgram(run, words.length > 0 ? words : undefined);
  const { status, signal } = spawnSync(program, programWords, {
    stdio: "inherit",
    env: { ...process.env, ...environment },
  });
  process.exitCode = status ?? (signal ? exitStatusOf(signal) : 1);
};

const runEndToEnd = async (words: readonly string[]): Promise<void> => {
  const { chosen, rest } = readParts(endToEndParts, words);
  buildIfStale();
  const [part, ...others] = chosen;
  if (part && others.length === 0) return runLive(part, rest);
  const gate = new Gate();
  await gate.runAll(chosen, 2);
  gate.printEnd();
};

const runFull = async (words: readonly string[]): Promise<void> => {
  const { chosen, rest } = readParts(fullParts, words);
  const [part] = chosen;
  if (part && rest.length > 0) {
    buildIfStale();
    return runLive(part, rest);
  }
  startRecords();
  const gate = new Gate();
  if (await gate.run(first)) await gate.runAll(chosen, 1);
  gate.printEnd();
};

const [level, ...words] = process.argv.slice(2);
if (level === "--help" || words[0] === "--help") process.stdout.write(usage);
else if (level === undefined) await runGate();
else if (level === "--e2e") await runEndToEnd(words);
else if (level === "--full") await runFull(words);
else fail(`Unknown argument: ${level}`);
