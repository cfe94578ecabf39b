import assert from "node:assert/strict";
import type { RecordedResponse, ReferenceServer, StaticServer, Target } from "../programs/calls.js";
import { send } from "../programs/send.js";
import { sendRequests } from "../runner/http-load.js";
import { type Program, startProgram } from "../runner/program.js";
import { checkedList, createProjects, withoutConnectionHeaders } from "../runner/projects.js";
import type { Build } from "./build.js";
import type { Measurement } from "./measurement.js";

const connections = 50;
const path = "/v1/projects";

/** A request for a list of `count` projects, with auth and validation, beside `node:http` sending the same bytes. */
const listOverHttp = (count: number, requests: number): Measurement => {
  const cost = async (
    { calls }: Program<{ processorTime(): number }>,
    target: Target,
    body: string,
  ): Promise<number> => {
    await sendRequests({ target, path, body, connections, requests: requests / 2 });
    const before = await calls.processorTime();
    await sendRequests({ target, path, body, connections, requests });
    return (((await calls.processorTime()) - before) / requests) * 1e6;
  };
  return {
    rows: [{ title: `projects.list of ${String(count)} over HTTP`, unit: "µs" }],
    measure: (build) =>
      withServer(build, count, async (server, target, { body }) => [await cost(server, target, body)]),
    baseline: {
      name: "static node:http",
      measure: async (build) => {
        const response = await withServer(build, count, (_server, _target, list) => Promise.resolve(list));
        const server = await startProgram<StaticServer>("static-server", [], build.programs);
        try {
          const target = await server.calls.start(withoutConnectionHeaders(response));
          assert.equal((await send({ url: target.baseUrl })).body, response.body);
          return [await cost(server, target, response.body)];
        } finally {
          await server.stop();
        }
      },
    },
  };
};

const withServer = async <Result>(
  build: Build,
  count: number,
  use: (server: Program<ReferenceServer>, target: Target, list: RecordedResponse) => Promise<Result>,
): Promise<Result> => {
  const server = await startProgram<ReferenceServer>("reference-server", [], build.programs);
  try {
    const target = await server.calls.start();
    await createProjects(send, target, count);
    return await use(server, target, await checkedList(send, target, count));
  } finally {
    await server.stop();
  }
};

export const shortList = listOverHttp(2, 12_000);
export const longList = listOverHttp(100, 4_000);
