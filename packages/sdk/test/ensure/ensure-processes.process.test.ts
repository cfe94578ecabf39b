import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { createServer } from "@mgmt/mock/server";
import { createClient } from "@mgmt/sdk";
import { setupBuilds } from "../build.js";

const { bundle } = setupBuilds();

const processes = 8;
const callsEach = 125;
const identities = 100;

/** Ensures projects, 25 at a time, and prints each result. */
const program = `
import { createClient } from "@mgmt/sdk";
import { nodeTransport } from "@mgmt/sdk/node";
const { MGMT_BASE_URL: baseUrl, MGMT_TOKEN: token } = process.env;
// Node accepts one connection per turn of its event loop, so new ones wait long while the open ones are busy.
const client = createClient({ baseUrl, token, timeoutMs: 570_000, transport: nodeTransport() });
const results = [];
let next = 0;
const worker = async () => {
  while (next < ${callsEach}) {
    const logicalId = "shop-" + (next++ % ${identities});
    const { created, resource } = await client.projects.ensure(
      { logicalId, createDatabase: false },
      { timeoutMs: 570_000 },
    );
    results.push([logicalId, resource.id, created]);
  }
};
await Promise.all(Array.from({ length: 25 }, worker));
console.log(JSON.stringify(results));
`;

it(
  "creates exactly 100 projects in 1,000 ensures by 8 processes, though one response in ten is lost after the work",
  { timeout: 600_000 },
  async () => {
    const file = await bundle(program);
    const server = await createServer();
    try {
      const token = await server.engine.tokens.user();
      server.engine.faults.add({ operation: "projects.create", drop: "after", probability: 0.1 });
      const run = async (): Promise<[string, string, boolean][]> => {
        const env = { ...process.env, MGMT_BASE_URL: server.baseUrl, MGMT_TOKEN: token };
        const options = { env, maxBuffer: 64 * 1024 * 1024 };
        const { stdout } = await promisify(execFile)(process.execPath, [file], options);
        // The program prints these.
        return JSON.parse(stdout) as [string, string, boolean][];
      };
      const results = (await Promise.all(Array.from({ length: processes }, run))).flat();
      expect(results).toHaveLength(processes * callsEach);

      const projects = await createClient({ baseUrl: server.baseUrl, token }).projects.list().toArray();
      expect(projects).toHaveLength(identities);
      const idOf = new Map(projects.map(({ logicalId, id }) => [logicalId, id]));
      expect(results.filter(([logicalId, id]) => idOf.get(logicalId) !== id)).toEqual([]);
      const made = results.filter(([, , created]) => created).map(([logicalId]) => logicalId);
      expect(new Set(made).size).toBe(made.length);
    } finally {
      await server.close();
    }
  },
);
