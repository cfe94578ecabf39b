import { describe, expect, it, onTestFinished, vi } from "vitest";
import { countTrips } from "./count-trips.js";
import { StoreCluster } from "./store-cluster.js";
import { StoredProcess } from "./stored-process.js";

const cluster = new StoreCluster();
const [few, many] = [2, 12];

interface Server {
  readonly engine: StoredProcess["engine"];
  readonly trips: string[];
}

/** Opens a server that has not started to run jobs. A server that has ended has left one job for each of these databases. */
const openWithJobs = async (count: number, provisioning: number): Promise<Server> => {
  const schema = cluster.newSchema();
  const options = { isStarted: false, frozen: true, settings: { lifecycle: { provisioning } } };
  const ended = await StoredProcess.open(cluster, schema, options);
  const body = { name: "shop", createDatabase: false };
  const { data: project } = await ended.send("projects.create", { body });
  for (let index = 0; index < count; index += 1) {
    await ended.send("projects.databases.create", { path: { projectId: project.id }, body: {} });
  }
  await ended.close();
  const records = await cluster.openRecords(schema);
  onTestFinished(() => records.close());
  const counted = countTrips(records);
  const { engine } = await StoredProcess.open(cluster, schema, { ...options, records: counted });
  return { engine, trips: counted.trips };
};

/** Resolves when the jobs have run that provision a number of databases. Returns how many trips its own looks at the server took. */
const waitForJobs = async ({ engine, trips }: Server, count: number): Promise<number> => {
  let looking = 0;
  await vi.waitFor(async () => {
    await engine.idle();
    const start = trips.length;
    const { jobs, store } = await engine.snapshot();
    looking += trips.length - start;
    expect(jobs).toEqual([]);
    expect(store.databases.rows.map(([, { status }]) => status)).toEqual(Array<string>(count).fill("ready"));
  });
  return looking;
};

describe("due jobs on Postgres", () => {
  it("takes all jobs of a process that has ended in one trip, and reads their workspaces in one", async () => {
    const server = await openWithJobs(many, 0);
    server.engine.start();
    await waitForJobs(server, many);
    const mostRowsOf = (table: string): number =>
      Math.max(...server.trips.map((trip) => trip.split(`"read":"row","table":"${table}"`).length - 1));
    expect([mostRowsOf("jobs"), mostRowsOf("databases")]).toEqual([many, many]);
  });

  it("reads one job at a time when the clock is moved past many", async () => {
    const tripsOf = async (count: number): Promise<number> => {
      const server = await openWithJobs(count, 60_000);
      const before = server.trips.length;
      await server.engine.clock.advance(60_000);
      const looking = await waitForJobs(server, count);
      const limits = server.trips.flatMap((trip) => /"read":"expired".*"limit":(\d+)/.exec(trip)?.[1] ?? []);
      expect(new Set(limits)).toEqual(new Set(["1"]));
      return server.trips.length - before - looking;
    };
    const tripsOfEach = ((await tripsOf(many)) - (await tripsOf(few))) / (many - few);
    expect(tripsOfEach).toBeLessThanOrEqual(8);
  });
});
