import assert from "node:assert/strict";
import { workingTree } from "../../rows/build.js";
import { type Imported, emptyModule, importCost } from "../../rows/import.js";
import type { Finding, Series } from "../../runner/bench.js";
import { goals } from "../../runner/goals.js";
import { median, measureAlternately } from "../../runner/rounds.js";

const packages: readonly Imported[] = [
  ["@mgmt/sdk", "createClient"],
  ["@mgmt/sdk/partial", "createPartialClient"],
  ["@mgmt/sdk/node", "nodeTransport"],
  ["@prisma/management-api-sdk", "createManagementApiClient"],
  ["stripe", "Stripe"],
  ["openai", "OpenAI"],
  ["@octokit/rest", "Octokit"],
];

/** Milliseconds of processor time to `import` a package in a new process, minus those of an empty module. */
export const importTimes = async (rounds: number): Promise<Finding> => {
  const [nothing, ...times] = await measureAlternately(
    [emptyModule, ...packages].map((imported) => ({
      name: imported[0],
      unit: "ms",
      measure: () => importCost(workingTree.folder, imported),
    })),
    { warmUp: 0, rounds },
  );
  assert.ok(nothing);
  const [subject, ...others] = times.map(({ name, unit, rounds: each }): Series => ({
    name,
    unit,
    rounds: each.map((time, round) => time - (nothing.rounds[round] ?? Number.NaN)),
  }));
  assert.ok(subject);
  return {
    title: "import (ESM) in a fresh process, over an empty module, processor time",
    subject,
    others,
    goal: goals.sdk.import,
    notes: [`an empty module: ${median(nothing.rounds).toFixed(1)} ms`],
  };
};
