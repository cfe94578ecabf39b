import { atMost, below, ratio, share } from "../runner/goals.js";
import { sendRequests } from "../runner/load.js";
import { type Build, type Measurement, row } from "../runner/measurement.js";
import { type Program, runProgram, withProgram } from "../runner/program.js";
import type { Target } from "../programs/answer.js";
import { createdProjects } from "../programs/projects.js";

/** Returns the microseconds of processor time of the server for a request over 50 connections. */
const costOf = async (
  { result, processorTime }: Program<Target>,
  requests: number,
  body: string,
): Promise<number> => {
  const load = { url: `${result.baseUrl}/v1/projects`, token: result.token, body, connections: 50 };
  await sendRequests({ ...load, requests: requests / 2 });
  const before = await processorTime();
  await sendRequests({ ...load, requests });
  return ((await processorTime()) - before) / requests;
};

/** A list of projects with auth and validation, beside `node:http` sending the same bytes. */
const listOverHttp = (projects: number, requests: number, goal: number): Measurement => {
  const withReference = <Result>(
    build: Build,
    use: (server: Program<Target>, list: string) => Promise<Result>,
  ): Promise<Result> =>
    withProgram(build, "reference-server", {}, async (server: Program<Target>) =>
      use(server, await createdProjects(server.result, projects)),
    );
  const recorded = (build: Build): Promise<{ headers: Record<string, string>; body: string }> =>
    withReference(build, async ({ result: { baseUrl, token } }, body) => {
      const response = await fetch(`${baseUrl}/v1/projects`, {
        headers: { authorization: `Bearer ${token}` },
      });
      // `node:http` adds the others itself.
      const added = new Set(["connection", "date", "keep-alive"]);
      return {
        headers: Object.fromEntries([...response.headers].filter(([name]) => !added.has(name))),
        body,
      };
    });
  return {
    rows: [row(`projects.list of ${String(projects)} over HTTP, processor time`, "µs", share(goal))],
    rounds: 11,
    comparesCommits: true,
    subject: {
      name: "mgmt",
      measure: (build) =>
        withReference(build, async (server, list) => [await costOf(server, requests, list)]),
    },
    baseline: {
      name: "static node:http",
      measure: async (build) => {
        const response = await recorded(build);
        return withProgram(build, "static-server", response, async (server: Program<Target>) => [
          await costOf(server, requests, response.body),
        ]);
      },
    },
  };
};

export const http = [listOverHttp(2, 12_000, 0.7), listOverHttp(100, 4_000, 0.55)];

const throughMsw = (name: string, isStatic: boolean) => ({
  name,
  measure: async (build: Build) => [await runProgram(build, "msw", { isStatic })],
});

/** A request in a test, beside one handler of MSW that returns the same bytes. */
export const msw: readonly Measurement[] = [
  {
    rows: [row("projects.list of 2 through setupMock(), processor time", "µs", ratio(1.08))],
    rounds: 11,
    comparesCommits: true,
    subject: throughMsw("mgmt", false),
    baseline: throughMsw("static http.all", true),
  },
];

/** A full page of databases, without HTTP. */
export const engine: readonly Measurement[] = [
  {
    rows: [row("databases.list of 100 in the engine, processor time", "µs", atMost(250))],
    rounds: 11,
    comparesCommits: true,
    subject: {
      name: "mgmt",
      measure: async (build) => [await runProgram(build, "engine-lists", {})],
    },
  },
];

/** A test that waits by the clock of the mock. */
export const waits: readonly Measurement[] = [
  {
    rows: [
      row("sign-up in a test that follows others, 32 seconds by the clock of the mock", "ms", below(50)),
    ],
    rounds: 15,
    subject: {
      name: "mgmt",
      measure: async (build) => [await runProgram(build, "sign-up", {})],
    },
  },
];
