import assert from "node:assert/strict";
import type { InProcessServer } from "../programs/calls.js";
import type { Bench } from "../runner/bench.js";
import { ProcessorCosts } from "../runner/processor-costs.js";
import { startProgram } from "../runner/program.js";
import { createProjects, checkedList } from "../runner/projects.js";
import { measureAlternately } from "../runner/rounds.js";

const count = 2;
const requestsPerRound = 500;

/** Measures in-process requests in two processes, so that neither affects the other's caches or heap. */
export const msw: Bench = {
  name: "msw",
  about:
    "one in-process request through setupMock, compared with one static http.all handler with the same bytes",
  run: async (rounds = 31) => {
    const reference = await startProgram<InProcessServer>("msw-reference");
    const fixed = await startProgram<InProcessServer>("msw-static");
    try {
      const target = await reference.calls.start();
      await createProjects(reference.calls.send, target, count);
      const response = await checkedList(reference.calls.send, target, count);
      const copy = await fixed.calls.start(response);
      const request = { url: `${target.baseUrl}/v1/projects`, token: target.token };
      assert.equal(copy.baseUrl, target.baseUrl);
      assert.deepEqual(await fixed.calls.send(request), response);

      const costs = new ProcessorCosts();
      const time = async ({ calls }: typeof reference, name: string): Promise<number> => {
        const before = await calls.processorTime();
        const microseconds = await calls.time(request, requestsPerRound, count);
        costs.add(name, (await calls.processorTime()) - before, requestsPerRound);
        return microseconds;
      };
      const [subject, baseline] = await measureAlternately(
        [
          { name: "setupMock", unit: "µs", measure: () => time(reference, "setupMock") },
          { name: "static http.all", unit: "µs", measure: () => time(fixed, "static http.all") },
        ],
        { warmUp: 8, rounds },
      );
      assert.ok(subject && baseline);
      return [
        {
          title: `projects.list of ${String(count)} with fetch and json(), ${String(Buffer.byteLength(response.body))} bytes`,
          subject,
          baseline,
          goal: { of: "ratio", relation: "≤", limit: 1.15 },
          notes: [costs.describe("time")],
        },
      ];
    } finally {
      await Promise.all([reference.stop(), fixed.stop()]);
    }
  },
};
