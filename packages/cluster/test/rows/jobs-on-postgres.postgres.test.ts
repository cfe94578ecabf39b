import { describe, expect, it, onTestFinished, vi } from "vitest";
import { countTrips } from "./count-trips.js";
import { StoreCluster } from "./store-cluster.js";
import { StoredProcess } from "./stored-process.js";

const cluster = new StoreCluster();
const many = 12;

interface Server {
  readonly engine: StoredProcess["engine"];
  readonly trips: string[];
}

/** Opens a server that has not started to run jobs. A server that has ended has left one job for each of many databases. */
const openWithJobs = async (provisioning: number): Promise<Server> => {
  const schema = cluster.newSchema();
  const options = { isStarted: false, frozen: true, settings: { lifecycle: { provisioning } } };
  const ended = await StoredProcess.open(cluster, schema, options);
  const body = { name: "shop", createDatabase: false };
  const { data: project } = await ended.send("projects.create", { body });
  for (let index = 0; index < many; index += 1) {
    await ended.send("projects.databases.create", { path: { projectId: project.id }, body: {} });
  }
  await ended.close();
  const records = await cluster.openRecords(schema);
  onTestFinished(() => records.close());
  const counted = countTrips(records);
  const { engine } = await StoredProcess.open(cluster, schema, { ...options, records: counted });
  return { engine, trips: counted.trips };
};

/** The tables whose rows each trip loads; `commit` for one that commits. */
const describeTrips = (trips: readonly string[]): string[] =>
  trips.map((trip) => [...new Set(trip.match(/(?<="table":")\w+|^commit$/g))].join(" "));

/** Resolves when the jobs have run that provision the databases. */
const waitForJobs = ({ engine }: Server): Promise<void> =>
  vi.waitFor(async () => {
    await engine.idle();
    const { jobs, store } = await engine.snapshot();
    expect(jobs).toEqual([]);
    expect(store.databases.rows.map(([, { status }]) => status)).toEqual(Array<string>(many).fill("ready"));
  });

describe("a job on Postgres", () => {
  it("takes one trip to read what it works on, and one to store its result and remove its row", async () => {
    const schema = cluster.newSchema();
    const records = await cluster.openRecords(schema);
    onTestFinished(() => records.close());
    const counted = countTrips(records);
    const { trips } = counted;
    const process = await StoredProcess.open(cluster, schema, {
      ...{ records: counted, settings: { lifecycle: { provisioning: 0 } } },
    });
    const { data: project } = await process.send("projects.create", {
      body: { name: "shop", createDatabase: false },
    });
    await process.engine.idle();
    const before = trips.length;
    await process.send("projects.databases.create", { path: { projectId: project.id }, body: {} });
    await vi.waitFor(async () => {
      await process.engine.idle();
      expect(trips.at(-1)).toBe("commit");
      expect(trips.filter((trip) => trip.includes('"table":"connections"'))).toHaveLength(1);
    });
    // The looks for jobs that are due do not belong to this one.
    const ofJob = trips.slice(before).filter((trip) => !trip.includes('"read":"expired"'));
    expect(describeTrips(ofJob.slice(-2))).toEqual(["server databases connections jobs", "commit"]);
    expect(describeTrips(ofJob)).toHaveLength(4);
  });
});

describe("due jobs on Postgres", () => {
  it("takes all jobs of a process that has ended in one trip, and reads their workspaces in one", async () => {
    const server = await openWithJobs(0);
    server.engine.start();
    await waitForJobs(server);
    const mostRowsOf = (table: string): number =>
      Math.max(...server.trips.map((trip) => trip.split(`"read":"row","table":"${table}"`).length - 1));
    expect([mostRowsOf("jobs"), mostRowsOf("databases")]).toEqual([many, many]);
  });

  it("reads one job at a time when the clock is moved past many", async () => {
    const server = await openWithJobs(60_000);
    const before = server.trips.length;
    await server.engine.clock.advance(60_000);
    await waitForJobs(server);
    const trips = server.trips.slice(before);
    const limits = trips.flatMap((trip) => /"read":"expired".*"limit":(\d+)/.exec(trip)?.[1] ?? []);
    expect(new Set(limits)).toEqual(new Set(["1"]));
    const takes = trips.flatMap((trip, index) => (trip.includes('"read":"expired"') ? index : []));
    const tripsOfEach = takes.slice(1).map((take, index) => take - (takes[index] ?? 0));
    expect(tripsOfEach.length).toBeGreaterThanOrEqual(many);
    // The first job loads the state of the server, too. Beside busy loops, one further trip was seen.
    const [, , third] = tripsOfEach.toSorted((a, b) => b - a);
    expect(third).toBeLessThanOrEqual(8);
  });
});
