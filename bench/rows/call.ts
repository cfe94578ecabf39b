import assert from "node:assert/strict";
import { join } from "node:path";
import type { Caller, ListServer } from "../programs/calls.js";
import { send } from "../programs/send.js";
import { startProgram } from "../runner/program.js";
import type { Build } from "./build.js";
import type { Measurement } from "./measurement.js";

const items = 2;
const calls = 3_000;

/** A list call over loopback with a file of `contenders/`, beside another. */
export const listCall = (
  title: string,
  contender: string,
  baseline: { readonly name: string; readonly contender: string },
): Measurement => ({
  rows: [{ title, unit: "µs" }],
  measure: async (build) => [await callCost(build, contender)],
  baseline: {
    name: baseline.name,
    measure: async (build) => [await callCost(build, baseline.contender)],
  },
});

/** Returns the microseconds of processor time that a call costs its own process. */
export const callCost = async (build: Build, contender: string): Promise<number> => {
  const server = await startProgram<ListServer>("list-server", [], build.programs);
  const caller = await startProgram<Caller>("caller", [], build.programs);
  try {
    const target = await server.calls.start({ pages: 1, itemsPerPage: items, latencyMs: 0 });
    // The list is returned only to callers that send the token.
    assert.equal((await send({ url: `${target.baseUrl}/v1/projects` })).status, 401);
    await caller.calls.start(join(build.contenders, `${contender}.js`), target, items);
    await caller.calls.time(calls / 2);
    const before = await server.calls.served();
    const { processorMicroseconds } = await caller.calls.time(calls);
    assert.equal((await server.calls.served()) - before, calls, "requests that reached the server");
    return processorMicroseconds;
  } finally {
    await Promise.all([server.stop(), caller.stop()]);
  }
};

// Every call of the SDK has a deadline, so what it is compared with has one, too.
export const callOnFetch = listCall("SDK call on fetch", "mgmt", {
  name: "fetch with a deadline",
  contender: "fetch-deadline",
});
export const callOnNode = listCall("SDK call on nodeTransport()", "mgmt-node", {
  name: "fetch",
  contender: "fetch",
});
