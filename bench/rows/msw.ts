import assert from "node:assert/strict";
import type { ClientRequest, InProcessServer, RecordedResponse, Target } from "../programs/calls.js";
import { type Program, startProgram } from "../runner/program.js";
import { checkedList, createProjects } from "../runner/projects.js";
import type { Build } from "./build.js";
import type { Measurement } from "./measurement.js";

const count = 2;
const requests = 2_000;

/** An in-process request through `setupMock()` with `fetch` and `json()`, beside one handler of MSW that returns the same bytes. */
export const mswRequest: Measurement = {
  rows: [{ title: `projects.list of ${String(count)} through setupMock()`, unit: "µs" }],
  measure: (build) => withMock(build, async (program, request) => [await cost(program, request)]),
  baseline: {
    name: "static http.all",
    measure: async (build) => {
      const [request, response] = await withMock(build, (_program, sent, list) =>
        Promise.resolve([sent, list] as const),
      );
      const program = await startProgram<InProcessServer>("msw-static", [], build.programs);
      try {
        const { baseUrl } = await program.calls.start(response);
        assert.ok(request.url.startsWith(`${baseUrl}/`));
        assert.deepEqual(await program.calls.send(request), response);
        return [await cost(program, request)];
      } finally {
        await program.stop();
      }
    },
  },
};

const withMock = async <Result>(
  build: Build,
  use: (program: Program<InProcessServer>, request: ClientRequest, list: RecordedResponse) => Promise<Result>,
): Promise<Result> => {
  const program = await startProgram<InProcessServer>("msw-reference", [], build.programs);
  try {
    const target: Target = await program.calls.start();
    await createProjects(program.calls.send, target, count);
    const list = await checkedList(program.calls.send, target, count);
    return await use(program, { url: `${target.baseUrl}/v1/projects`, token: target.token }, list);
  } finally {
    await program.stop();
  }
};

const cost = async ({ calls }: Program<InProcessServer>, request: ClientRequest): Promise<number> => {
  await calls.time(request, requests / 2, count);
  const before = await calls.processorTime();
  await calls.time(request, requests, count);
  return (((await calls.processorTime()) - before) / requests) * 1e6;
};
