import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Load, LoadGenerator, ReferenceServer, Target } from "../programs/calls.js";
import { send } from "../programs/send.js";
import type { Bench, Finding } from "../runner/bench.js";
import { mgmtProgram } from "../runner/paths.js";
import { type Program, startProgram } from "../runner/program.js";
import { checkedList, createProjects } from "../runner/projects.js";
import { measureAlternately } from "../runner/rounds.js";
import { startServerProcess } from "../runner/server-process.js";

const connections = 10;
const seconds = 1;

/** Measures what it costs that `mgmt dev` keeps its records on disk. The servers and the load generator have a process each. */
export const platform: Bench = {
  name: "platform",
  about: "requests per second of mgmt dev, whose records are on disk, compared with the server in memory",
  run: async (rounds = 7) => {
    const dataDir = await mkdtemp(join(tmpdir(), "mgmt-bench-"));
    const parameters = ["dev", "--data-dir", join(dataDir, "data"), "--port", "0", "--output", "json"];
    const dev = await startServerProcess([mgmtProgram, ...parameters]);
    const memory = await startProgram<ReferenceServer>("reference-server");
    const load = await startProgram<LoadGenerator>("load-generator");
    try {
      const subject = { baseUrl: String(dev.ready["baseUrl"]), token: String(dev.ready["token"]) };
      const baseline = await memory.calls.start();
      const findings: Finding[] = [];
      for (const operation of await prepare([subject, baseline])) {
        findings.push(await compare(operation, [subject, baseline], load, rounds));
      }
      return findings;
    } finally {
      await Promise.all([dev.stop(), memory.stop(), load.stop()]);
      await rm(dataDir, { recursive: true, force: true });
    }
  },
};

interface Operation {
  readonly title: string;
  /** Returns what to send to a server. */
  readonly load: (target: Target) => Pick<Load, "url" | "method" | "sent" | "body">;
}

/** Creates two projects on each server. The operation that creates more of them is the last one. */
const prepare = async (targets: readonly Target[]): Promise<Operation[]> => {
  const paths = new Map<Target, Map<string, string>>();
  for (const target of targets) {
    await createProjects(send, target, 2);
    const list = await checkedList(send, target, 2);
    const { data }: { data: { id: string }[] } = JSON.parse(list.body);
    const one = await send({
      url: `${target.baseUrl}/v1/projects/${data[0]?.id ?? ""}`,
      token: target.token,
    });
    assert.equal(one.status, 200, one.body);
    paths.set(
      target,
      new Map([
        [`/v1/projects/${data[0]?.id ?? ""}`, one.body],
        ["/v1/projects", list.body],
      ]),
    );
  }
  const read = (index: number) => (target: Target) => {
    const [path = "", body = ""] = [...(paths.get(target) ?? [])][index] ?? [];
    return { url: target.baseUrl + path, body };
  };
  const sent = JSON.stringify({ name: "bench", createDatabase: false });
  return [
    { title: "projects.get", load: read(0) },
    { title: "projects.list of 2", load: read(1) },
    {
      title: "projects.create without a database",
      load: ({ baseUrl }) => ({ url: `${baseUrl}/v1/projects`, method: "POST", sent }),
    },
  ];
};

const compare = async (
  { title, load }: Operation,
  targets: readonly [Target, Target],
  generator: Program<LoadGenerator>,
  rounds: number,
): Promise<Finding> => {
  const fire = async (target: Target): Promise<number> => {
    const result = await generator.calls.fire({
      ...load(target),
      headers: { authorization: `Bearer ${target.token}`, "content-type": "application/json" },
      connections,
      seconds,
    });
    assert.equal(result.bad, 0, "responses with another status or body");
    assert.equal(result.good, result.requests);
    return result.requests / result.seconds;
  };
  const [subject, baseline] = await measureAlternately(
    [
      { name: "mgmt dev", unit: "req/s", measure: () => fire(targets[0]) },
      { name: "server in memory", unit: "req/s", measure: () => fire(targets[1]) },
    ],
    { warmUp: 1, rounds },
  );
  assert.ok(subject && baseline);
  return { title: `${title}, ${String(connections)} connections`, subject, baseline };
};
