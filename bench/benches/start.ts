import assert from "node:assert/strict";
import { join } from "node:path";
import { send } from "../programs/send.js";
import type { Bench } from "../runner/bench.js";
import { programFolder } from "../runner/paths.js";
import { measureAlternately } from "../runner/rounds.js";
import { startServerProcess } from "../runner/server-process.js";

/** Measures from process start to the body of the first 200 response. */
export const start: Bench = {
  name: "start",
  about:
    "standalone server, from process start to its first response, compared with a static node:http process",
  run: async (rounds = 15) => {
    const [subject, baseline] = await measureAlternately(
      [
        { name: "reference server", unit: "ms", measure: () => firstResponse("reference-process") },
        { name: "static node:http", unit: "ms", measure: () => firstResponse("static-process") },
      ],
      { warmUp: 2, rounds },
    );
    assert.ok(subject && baseline);
    return [{ title: "process start to the first projects.list", subject, baseline }];
  },
};

const firstResponse = async (program: string): Promise<number> => {
  const started = performance.now();
  const server = await startServerProcess([join(programFolder, `${program}.js`)]);
  try {
    const { baseUrl, token } = server.ready;
    const response = await send({ url: `${String(baseUrl)}/v1/projects`, token: String(token) });
    const elapsed = performance.now() - started;
    assert.equal(response.status, 200, response.body);
    assert.equal(response.body, '{"data":[],"pagination":{"nextCursor":null,"hasMore":false}}');
    return elapsed;
  } finally {
    await server.stop();
  }
};
