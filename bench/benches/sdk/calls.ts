import assert from "node:assert/strict";
import { basename } from "node:path";
import { workingTree } from "../../rows/build.js";
import { callCost } from "../../rows/call.js";
import type { Finding } from "../../runner/bench.js";
import { goals } from "../../runner/goals.js";
import { measureAlternately } from "../../runner/rounds.js";
import {
  fetchAlone,
  fetchWithDeadline,
  octokit,
  openai,
  ours,
  oursOnNode,
  prisma,
  stripe,
  stripeOnFetch,
} from "./contenders.js";

const contenders = [
  ours,
  oursOnNode,
  fetchWithDeadline,
  fetchAlone,
  prisma,
  stripe,
  stripeOnFetch,
  openai,
  octokit,
];

/** The processor time of a list call over loopback. Every measurement has a process of its own. */
export const callOverheads = async (rounds: number): Promise<Finding[]> => {
  const series = await measureAlternately(
    contenders.map(({ name, file }) => ({
      name,
      unit: "µs",
      measure: () => callCost(workingTree, basename(file, ".js")),
    })),
    { warmUp: 0, rounds },
  );
  const [onFetch, onNode, withDeadline, alone, ...others] = series;
  assert.ok(onFetch && onNode && withDeadline && alone);
  const title = "one list call, processor time";
  return [
    // Every call of this SDK has a deadline, so the baseline has one too.
    { title, subject: onFetch, baseline: withDeadline, others, goal: goals.sdk.callOnFetch },
    { title: `${title}, with nodeTransport()`, subject: onNode, baseline: alone, goal: goals.sdk.callOnNode },
  ];
};
