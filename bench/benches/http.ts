import assert from "node:assert/strict";
import type { LoadGenerator, Place, ReferenceServer, StaticServer } from "../programs/calls.js";
import { send } from "../programs/send.js";
import type { Bench, Finding } from "../runner/bench.js";
import { ProcessorCosts } from "../runner/processor-costs.js";
import { startProgram } from "../runner/program.js";
import { createProjects, provenList, withoutConnectionHeaders } from "../runner/projects.js";
import { median, takeTurns } from "../runner/rounds.js";

const connections = 50;
const seconds = 1;

/** Server, static server and load generator run in processes of their own. */
export const http: Bench = {
  name: "http",
  about: "requests a second over HTTP, auth and validation on, against node:http with the same bytes",
  run: async (rounds = 11) => [
    // A short list, as the prototype had it that the aim comes from, and a full page.
    { ...(await measureList(2, rounds)), aim: { of: "ratio", relation: "≥", limit: 0.5 } },
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
    const place = await reference.calls.start();
    await createProjects(send, place, count);
    const answer = await provenList(send, place, count);
    const copy = await fixed.calls.start(withoutConnectionHeaders(answer));
    assert.equal((await send({ url: copy.baseUrl })).body, answer.body);

    const fire = async (
      server: { processorTime(): Promise<number> },
      { baseUrl }: Place,
      name: string,
    ): Promise<number> => {
      const before = await server.processorTime();
      const result = await load.calls.fire({
        url: `${baseUrl}/v1/projects`,
        headers: { authorization: `Bearer ${place.token}` },
        connections,
        seconds,
        body: answer.body,
      });
      const used = (await server.processorTime()) - before;
      (shares[name] ??= []).push(used / result.seconds);
      costs.add(name, used, result.requests);
      assert.equal(result.bad, 0, "answers with another status or body");
      assert.equal(result.good, result.requests);
      return result.requests / result.seconds;
    };
    const [subject, baseline] = await takeTurns(
      [
        {
          name: "reference server",
          unit: "req/s",
          measure: () => fire(reference.calls, place, "reference"),
        },
        { name: "static node:http", unit: "req/s", measure: () => fire(fixed.calls, copy, "static") },
      ],
      { warmUp: 2, rounds },
    );
    assert.ok(subject && baseline);
    return {
      title: `projects.list of ${String(count)}, ${String(Buffer.byteLength(answer.body))} bytes, ${String(connections)} connections`,
      subject,
      baseline,
      notes: [
        costs.describe("rate"),
        `share of a processor that each server got (near 1: it, not the load, was the limit): ${medians(shares)}`,
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
