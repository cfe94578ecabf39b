import assert from "node:assert/strict";
import { join } from "node:path";
import { send } from "../programs/send.js";
import type { Bench } from "../runner/bench.js";
import { programFolder } from "../runner/paths.js";
import { takeTurns } from "../runner/rounds.js";
import { startServerProcess } from "../runner/server-process.js";

/** From the start of the process to the body of the first 200. */
export const start: Bench = {
  name: "start",
  about: "start of the standalone server to its first answer, against a static node:http process",
  run: async (rounds = 15) => {
    const [subject, baseline] = await takeTurns(
      [
        { name: "reference server", unit: "ms", measure: () => firstAnswer("reference-process") },
        { name: "static node:http", unit: "ms", measure: () => firstAnswer("static-process") },
      ],
      { warmUp: 2, rounds },
    );
    assert.ok(subject && baseline);
    return [{ title: "process start to the first projects.list", subject, baseline }];
  },
};

const firstAnswer = async (program: string): Promise<number> => {
  const started = performance.now();
  const server = await startServerProcess([join(programFolder, `${program}.js`)]);
  try {
    const { baseUrl, token } = server.ready;
    const answer = await send({ url: `${String(baseUrl)}/v1/projects`, token: String(token) });
    const elapsed = performance.now() - started;
    assert.equal(answer.status, 200, answer.body);
    assert.equal(answer.body, '{"data":[],"pagination":{"nextCursor":null,"hasMore":false}}');
    return elapsed;
  } finally {
    await server.stop();
  }
};
