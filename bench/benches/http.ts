import assert from "node:assert/strict";
import type { LoadGenerator, Target, ReferenceServer, StaticServer } from "../programs/calls.js";
import { send } from "../programs/send.js";
import type { Bench, Finding } from "../runner/bench.js";
import { ProcessorCosts } from "../runner/processor-costs.js";
import { startProgram } from "../runner/program.js";
import { createProjects, checkedList, withoutConnectionHeaders } from "../runner/projects.js";
import { median, measureAlternately } from "../runner/rounds.js";

const connections = 50;
const seconds = 1;

/** Measures throughput over HTTP. Server, static server, and load generator each run in their own process. */
export const http: Bench = {
  name: "http",
  about:
    "requests per second over HTTP with auth and validation, compared with node:http sending the same bytes",
  run: async (rounds = 11) => [
    // A short list, which the goal refers to, and a full page.
    { ...(await measureList(2, rounds)), goal: { of: "ratio", relation: "≥", limit: 0.5 } },
    await measureList(100, Math.ceil(rounds / 2)),
  ],
};

const measureList = async (count: number, rounds: number): Promise<Finding> => {
  const reference = await startProgram<ReferenceServer>("reference-server");
  const fixed = await startProgram<StaticServer>("static-server");
  const load = await startProgram<LoadGenerator>("load-generator");
  const shares: Record<string, number[]> = {};
  const costs = new ProcessorCosts();
  try {
    const target = await reference.calls.start();
    await createProjects(send, target, count);
    const response = await checkedList(send, target, count);
    const copy = await fixed.calls.start(withoutConnectionHeaders(response));
    assert.equal((await send({ url: copy.baseUrl })).body, response.body);

    const fire = async (
      server: { processorTime(): Promise<number> },
      { baseUrl }: Target,
      name: string,
    ): Promise<number> => {
      const before = await server.processorTime();
      const result = await load.calls.fire({
        url: `${baseUrl}/v1/projects`,
        headers: { authorization: `Bearer ${target.token}` },
        connections,
        seconds,
        body: response.body,
      });
      const used = (await server.processorTime()) - before;
      (shares[name] ??= []).push(used / result.seconds);
      costs.add(name, used, result.requests);
      assert.equal(result.bad, 0, "responses with another status or body");
      assert.equal(result.good, result.requests);
      return result.requests / result.seconds;
    };
    const [subject, baseline] = await measureAlternately(
      [
        {
          name: "reference server",
          unit: "req/s",
          measure: () => fire(reference.calls, target, "reference"),
        },
        { name: "static node:http", unit: "req/s", measure: () => fire(fixed.calls, copy, "static") },
      ],
      { warmUp: 2, rounds },
    );
    assert.ok(subject && baseline);
    return {
      title: `projects.list of ${String(count)}, ${String(Buffer.byteLength(response.body))} bytes, ${String(connections)} connections`,
      subject,
      baseline,
      notes: [
        costs.describe("rate"),
        `share of a processor that each server used (near 1 means that the server was the bottleneck, not the load generator): ${medians(shares)}`,
      ],
    };
  } finally {
    await Promise.all([reference.stop(), fixed.stop(), load.stop()]);
  }
};

const medians = (values: Readonly<Record<string, readonly number[]>>): string =>
  Object.entries(values)
    .map(([name, each]) => `${name} ${median(each).toFixed(2)}`)
    .join(", ");
