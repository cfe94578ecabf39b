import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import type { Finding, Series } from "../../runner/bench.js";
import { benchFolder } from "../../runner/paths.js";
import { median, measureAlternately } from "../../runner/rounds.js";

/** Packages, and an export that each must have to count as imported. */
const packages = [
  ["@mgmt/sdk", "createClient"],
  ["@mgmt/sdk/partial", "createPartialClient"],
  ["@mgmt/sdk/node", "nodeTransport"],
  ["@prisma/management-api-sdk", "createManagementApiClient"],
  ["stripe", "Stripe"],
  ["openai", "OpenAI"],
  ["@octokit/rest", "Octokit"],
] as const;

/** Milliseconds to `import` a package in a new process, minus those of an empty module. */
export const importTimes = async (rounds: number): Promise<Finding> => {
  const empty = "data:text/javascript,export const nothing = 0;";
  const [nothing, ...times] = await measureAlternately(
    [[empty, "nothing"] as const, ...packages].map(([name, exported]) => ({
      name,
      unit: "ms",
      measure: () => importTime(name, exported),
    })),
    { warmUp: 1, rounds },
  );
  assert.ok(nothing);
  const [subject, ...others] = times.map(({ name, unit, rounds: each }): Series => ({
    name,
    unit,
    rounds: each.map((time, round) => time - (nothing.rounds[round] ?? Number.NaN)),
  }));
  assert.ok(subject);
  const least = Math.min(...subject.rounds).toFixed(1);
  return {
    title: "import (ESM) in a fresh process, over an empty module",
    subject,
    others,
    goal: { of: "median", relation: "≤", limit: 8 },
    notes: [
      `an empty module: ${median(nothing.rounds).toFixed(1)} ms; ${subject.name} at its least: ${least} ms`,
    ],
  };
};

const importTime = async (specifier: string, exported: string): Promise<number> => {
  const program = `const started = performance.now();
    const found = await import(${JSON.stringify(specifier)});
    const elapsed = performance.now() - started;
    console.log(JSON.stringify([typeof found[${JSON.stringify(exported)}], elapsed]));`;
  const child = spawn(process.execPath, ["--input-type=module", "--eval", program], {
    cwd: benchFolder,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [output, [status]] = await Promise.all([text(child.stdout), once(child, "exit")]);
  assert.equal(status, 0, specifier);
  const [kind, elapsed]: [string, number] = JSON.parse(output);
  assert.notEqual(kind, "undefined", `${specifier} does not export ${exported}`);
  return elapsed;
};
