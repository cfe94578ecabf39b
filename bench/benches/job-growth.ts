import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { MemoryServer } from "@mgmt/mock/server";
import type pg from "pg";
import type { Finding } from "../runner/bench.js";
import { goals } from "../runner/goals.js";
import { connectToRecords, startPlatform } from "../runner/platform-records.js";
import { type Contender, type RoundOptions, measureAlternately } from "../runner/rounds.js";

const sizes = [100, 20_000] as const;
/** Rounds of `mgmt dev`, without warm-up, because the many jobs take 45 seconds on 2 cores. */
const maxRounds = 3;
/** Drains of the few jobs in each round, because one takes too little time to measure. */
const smallDrains = 5;

/** Measures how long a job takes while a number of jobs are due. The jobs find no database, so that nothing but the queue takes time. */
export const jobGrowth = async (rounds: number): Promise<Finding[]> => [
  await growthOf("in memory", { warmUp: 1, rounds }, drainInMemory),
  await platformJobGrowth(rounds),
];

const platformJobGrowth = async (rounds: number): Promise<Finding> => {
  const directory = await mkdtemp(join(tmpdir(), "mgmt-bench-"));
  const dataDir = join(directory, "data");
  try {
    const server = await startPlatform(dataDir);
    try {
      const client = await connectToRecords(dataDir, server);
      try {
        return await growthOf("mgmt dev", { warmUp: 0, rounds: Math.min(rounds, maxRounds) }, (count) =>
          drain(client, count),
        );
      } finally {
        await client.end();
      }
    } finally {
      await server.stop();
    }
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
};

/** @param drainJobs runs this many jobs that are due, and returns the milliseconds of one. */
const growthOf = async (
  place: string,
  options: RoundOptions,
  drainJobs: (count: number) => Promise<number>,
): Promise<Finding> => {
  const [few, many] = sizes;
  const nameOf = (size: number): string => `${size.toLocaleString("en")} due jobs`;
  const contenders: Contender[] = [
    {
      name: nameOf(few),
      unit: "ms",
      measure: async () => {
        let total = 0;
        for (let index = 0; index < smallDrains; index += 1) total += await drainJobs(few);
        return total / smallDrains;
      },
    },
    { name: nameOf(many), unit: "ms", measure: () => drainJobs(many) },
  ];
  const [baseline, subject] = await measureAlternately(contenders, options);
  assert.ok(baseline && subject);
  return {
    title: `one of the due jobs, ${place}`,
    subject,
    baseline,
    goal: goals.growth,
  };
};

const drainInMemory = async (count: number): Promise<number> => {
  const engine = new MemoryServer({
    deterministic: "jobs",
    settings: { lifecycle: { provisioning: 1_000 } },
  });
  const authorization = `Bearer ${await engine.tokens.user()}`;
  for (let index = 0; index < count; index += 1) {
    const headers = { authorization, "content-type": "application/json" };
    const body = new TextEncoder().encode('{"name":"new"}');
    const { status } = await engine.handle({ method: "POST", path: "/v1/projects", headers, body });
    assert.equal(status, 201);
  }
  const started = performance.now();
  await engine.clock.advance(1_000);
  const time = (performance.now() - started) / count;
  assert.equal(engine.snapshot().jobs.length, 0);
  return time;
};

const dueJobs = `
  insert into mgmt.jobs (id, doc)
  select id, jsonb_build_object('id', id, 'createdAt', 0, 'kind', 'database.provision', 'owner', null,
    'subject', 'db_' || id, 'dueAt', 0)
  from (select 'job_bench' || index as id from generate_series(1, $1::integer) index) jobs`;

/** Measures from the end of the first job, because the server looks for new jobs once a second. */
const drain = async (client: pg.Client, count: number): Promise<number> => {
  await client.query(dueJobs, [count]);
  let first: { left: number; at: number } | undefined;
  for (;;) {
    const { rows } = await client.query<{ left: number }>('select count(*)::int as "left" from mgmt.jobs');
    const left = rows[0]?.left ?? 0;
    const at = performance.now();
    if (first !== undefined && left === 0) return (at - first.at) / first.left;
    // The few jobs must not all end between two looks.
    assert.ok(left > 0);
    if (left < count) first ??= { left, at };
    await sleep(count / 200);
  }
};
