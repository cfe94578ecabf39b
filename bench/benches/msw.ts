import assert from "node:assert/strict";
import type { InProcessServer } from "../programs/calls.js";
import type { Bench } from "../runner/bench.js";
import { ProcessorCosts } from "../runner/processor-costs.js";
import { startProgram } from "../runner/program.js";
import { createProjects, provenList } from "../runner/projects.js";
import { takeTurns } from "../runner/rounds.js";

const count = 2;
const requestsPerRound = 500;

/** Two processes that each answer themselves; they take turns, so that neither warms or litters the other. */
export const msw: Bench = {
  name: "msw",
  about: "one in-process request through setupMock, against one static http.all handler with the same bytes",
  run: async (rounds = 31) => {
    const reference = await startProgram<InProcessServer>("msw-reference");
    const fixed = await startProgram<InProcessServer>("msw-static");
    try {
      const place = await reference.calls.start();
      await createProjects(reference.calls.send, place, count);
      const answer = await provenList(reference.calls.send, place, count);
      const copy = await fixed.calls.start(answer);
      const request = { url: `${place.baseUrl}/v1/projects`, token: place.token };
      assert.equal(copy.baseUrl, place.baseUrl);
      assert.deepEqual(await fixed.calls.send(request), answer);

      const costs = new ProcessorCosts();
      const time = async ({ calls }: typeof reference, name: string): Promise<number> => {
        const before = await calls.processorTime();
        const microseconds = await calls.time(request, requestsPerRound, count);
        costs.add(name, (await calls.processorTime()) - before, requestsPerRound);
        return microseconds;
      };
      const [subject, baseline] = await takeTurns(
        [
          { name: "setupMock", unit: "µs", measure: () => time(reference, "setupMock") },
          { name: "static http.all", unit: "µs", measure: () => time(fixed, "static http.all") },
        ],
        { warmUp: 8, rounds },
      );
      assert.ok(subject && baseline);
      return [
        {
          title: `projects.list of ${String(count)} with fetch and json(), ${String(Buffer.byteLength(answer.body))} bytes`,
          subject,
          baseline,
          aim: { of: "ratio", relation: "≤", limit: 1.15 },
          notes: [costs.describe("time")],
        },
      ];
    } finally {
      await Promise.all([reference.stop(), fixed.stop()]);
    }
  },
};
