import assert from "node:assert/strict";
import type { Caller, ListServer, Target, Spent } from "../../programs/calls.js";
import { send } from "../../programs/send.js";
import type { Goal, Finding } from "../../runner/bench.js";
import { ProcessorCosts } from "../../runner/processor-costs.js";
import { type Program, startProgram } from "../../runner/program.js";
import { median } from "../../runner/rounds.js";
import {
  type Contender,
  fetchWithDeadline,
  octokit,
  openai,
  ours,
  oursOnNode,
  prisma,
  stripe,
  stripeOnFetch,
} from "./contenders.js";

const items = 2;
/** An odd number, because the median is used. */
const batches = 7;
const callsPerBatch = 30;
const warmUp = 12;

/**
 * A contender, its goal, and its baseline: raw `fetch` in the same process unless it names another contender.
 */
const contenders: readonly (readonly [Contender, Goal?, Contender?])[] = [
  // Every call of this SDK has a deadline, so the baseline has one too.
  [ours, { of: "ratio", relation: "≤", limit: 1.2 }, fetchWithDeadline],
  [oursOnNode, { of: "ratio", relation: "≤", limit: 0.75 }],
  [fetchWithDeadline],
  [prisma],
  [stripe],
  [stripeOnFetch],
  [openai],
  [octokit],
];

/**
 * Runs every contender in a separate process that alternates it with raw `fetch`. The processes alternate
 * too.
 */
export const callOverheads = async (rounds: number): Promise<Finding[]> => {
  const server = await startProgram<ListServer>("list-server");
  const callers: Program<Caller>[] = [];
  try {
    const target = await server.calls.start({ pages: 1, itemsPerPage: items, latencyMs: 0 });
    // The list below is returned only to callers that send the token.
    assert.equal((await send({ url: `${target.baseUrl}/v1/projects` })).status, 401);
    const measured: Measured[] = [];
    for (const [contender, goal, comparedWith] of contenders) {
      const caller = await startCaller(contender, target);
      callers.push(caller);
      measured.push(new Measured(contender, goal, comparedWith, caller));
    }
    for (let round = -warmUp; round < rounds; round += 1) {
      const before = await server.calls.served();
      for (const each of measured) await each.measure(round >= 0);
      const expected = measured.length * 2 * batches * callsPerBatch;
      assert.equal((await server.calls.served()) - before, expected, "requests that reached the server");
    }
    return measured.map((each) => each.finding(measured));
  } finally {
    await Promise.all([server, ...callers].map((program) => program.stop()));
  }
};

const startCaller = async ({ file }: Contender, target: Target): Promise<Program<Caller>> => {
  const caller = await startProgram<Caller>("caller");
  await caller.calls.start(file, target, items);
  return caller;
};

class Measured {
  readonly #subject: number[] = [];
  readonly #baseline: number[] = [];
  readonly #costs = new ProcessorCosts();

  constructor(
    private readonly contender: Contender,
    private readonly goal: Goal | undefined,
    private readonly comparedWith: Contender | undefined,
    private readonly caller: Program<Caller>,
  ) {}

  async measure(isCounted: boolean): Promise<void> {
    const { subject, baseline } = await this.caller.calls.time(batches, callsPerBatch);
    if (!isCounted) return;
    // Not the mean, because another process may slow down a batch.
    this.#subject.push(median(subject.map(({ microseconds }) => microseconds)));
    this.#baseline.push(median(baseline.map(({ microseconds }) => microseconds)));
    this.#addCosts(this.contender.name, subject);
    this.#addCosts("fetch", baseline);
  }

  #addCosts(name: string, spent: readonly Spent[]): void {
    const used = spent.reduce((sum, { processorMicroseconds }) => sum + processorMicroseconds, 0);
    this.#costs.add(name, used / 1e6, spent.length);
  }

  finding(all: readonly Measured[]): Finding {
    const { name } = this.contender;
    const other = all.find(({ contender }) => contender === this.comparedWith);
    return {
      title: `one list call: ${name}`,
      subject: { name, unit: "µs", rounds: this.#subject },
      baseline: other
        ? { name: other.contender.name, unit: "µs", rounds: other.#subject }
        : { name: "fetch and json()", unit: "µs", rounds: this.#baseline },
      ...(this.goal && { goal: this.goal }),
      notes: [this.#costs.describe("time")],
    };
  }
}
