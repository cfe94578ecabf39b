import assert from "node:assert/strict";
import type { ListServer, Walker } from "../../programs/calls.js";
import type { Finding } from "../../runner/bench.js";
import { goals } from "../../runner/goals.js";
import { startProgram } from "../../runner/program.js";
import { measureAlternately } from "../../runner/rounds.js";
import { ours, prisma } from "./contenders.js";

const lists = { pages: 100, itemsPerPage: 100, latencyMs: 20 };
const workMs = 20;

/** Iterates over all pages with a prefetched page, compared with awaiting each page before the work. */
export const walkPages = async (rounds: number): Promise<Finding> => {
  const server = await startProgram<ListServer>("list-server");
  const walker = await startProgram<Walker>("walker");
  try {
    await walker.calls.start(await server.calls.start(lists));
    const walk = async (how: "prefetch" | "sequential"): Promise<number> => {
      const before = await server.calls.served();
      const elapsed = await walker.calls.time(how, lists, workMs);
      assert.equal((await server.calls.served()) - before, lists.pages, "requests for a walk");
      return elapsed;
    };
    const [subject, baseline] = await measureAlternately(
      [
        { name: `${ours.name}, prefetch`, unit: "ms", measure: () => walk("prefetch") },
        { name: `${prisma.name}, one by one`, unit: "ms", measure: () => walk("sequential") },
      ],
      { warmUp: 1, rounds },
    );
    assert.ok(subject && baseline);
    return {
      title: `${String(lists.pages)} pages of ${String(lists.itemsPerPage)}, latency ${String(lists.latencyMs)} ms, work ${String(workMs)} ms a page`,
      subject,
      baseline,
      goal: goals.sdk.pages,
    };
  } finally {
    await Promise.all([server.stop(), walker.stop()]);
  }
};
