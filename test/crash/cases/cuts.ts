import { createServer } from "@mgmt/mock/server";
import { within } from "../machine-time.js";
import { Hang, Violation } from "../violation.js";
import type { CrashCase } from "./crash-case.js";
import { type Cut, CutProxy, type Direction } from "./cut-proxy.js";
import { type CutScenario, scenarios } from "./cut-scenarios.js";

/** Scenarios that run at the same time. Most of their time is pauses between attempts. */
const workers = 24;

/** The longest time that a change may take, in milliseconds. Only a defect exceeds it. */
const deadline = 120_000;

/** Runs a scenario on a service of its own. Returns how many bytes passed in each direction. */
const runOnce = async (scenario: CutScenario, cut?: Cut): Promise<Record<Direction, number>> => {
  const proxy = await CutProxy.start(cut);
  const server = await createServer({ allowedHosts: [new URL(proxy.url).host] });
  proxy.target = Number(new URL(server.baseUrl).port);
  const moment =
    cut === undefined ? "without a cut" : `cut after byte ${String(cut.bytes)} of the ${cut.direction}`;
  try {
    const prepared = await scenario.prepare(server);
    const token = await server.engine.tokens.service();
    const run = scenario.run({ server, url: proxy.url, token }, prepared);
    const wrong = await within(
      deadline,
      run,
      () => new Hang(`${scenario.name}, ${moment}: it does not end`),
    ).catch((error: unknown) => {
      if (error instanceof Violation) throw error;
      return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    });
    if (wrong !== undefined) throw new Violation(`${scenario.name}, ${moment}: ${wrong}`);
    if (!proxy.hasCut) throw new Violation(`${scenario.name}, ${moment}: nothing was cut`);
    return proxy.counts;
  } finally {
    proxy.close();
    await server.close();
  }
};

const runAll = async (scenario: CutScenario, every: number): Promise<number> => {
  const counts = await runOnce(scenario);
  const cuts: Cut[] = (["request", "response"] as const).flatMap((direction) =>
    Array.from({ length: Math.floor(counts[direction] / every) + 1 }, (_, index) => ({
      direction,
      bytes: index * every,
    })),
  );
  const total = cuts.length;
  await Promise.all(
    Array.from({ length: workers }, async () => {
      for (let cut = cuts.shift(); cut !== undefined; cut = cuts.shift()) await runOnce(scenario, cut);
    }),
  );
  return total;
};

/** Cuts the network at every byte of requests and responses. */
export const cuts: CrashCase = {
  name: "cuts",
  run: async ({ every, log }) => {
    for (const scenario of scenarios) {
      const total = await runAll(scenario, every);
      log(`${scenario.name}: ${String(total)} cuts`);
    }
  },
};
