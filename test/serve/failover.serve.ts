import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import { textAt } from "../crash/request.js";
import { Api } from "../crash/verify.js";
import { eventually } from "../crash/violation.js";
import { Load } from "./load.js";
import { isFull } from "./place.js";
import { ReplicatedPlace } from "./replicated-place.js";
import type { ServerProcess } from "./server-process.js";

const place = new ReplicatedPlace();
const seed = process.env["MGMT_TEST_SEED"] ?? String(Date.now());

/** How long no write may be possible after the new primary accepts connections at the address, in milliseconds. */
const maxWriteGapMs = 2_000;

/** How long a server may have sessions to the old primary, in milliseconds. */
const maxOldSessionsMs = 20_000;

const write = async (server: ServerProcess): Promise<boolean> => {
  const body = { createDatabase: false };
  const { status } = await server.call(place.tokens[0], "POST", "/v1/projects", body);
  return status === 201;
};

/** Returns how long it takes until a server can write, in milliseconds. Requests before it may never get a response. */
const measureWriteGap = async (server: ServerProcess): Promise<number> => {
  const startedAt = performance.now();
  let isWritten = false;
  while (!isWritten) {
    void write(server).then(
      (isDone) => (isWritten ||= isDone),
      () => undefined,
    );
    await sleep(25);
  }
  return performance.now() - startedAt;
};

/** Sessions of servers that do not just wait for the confirmation of a standby that follows no more. */
const listOldSessions = () =>
  place.primary.query<{ name: string; state: string; query: string }>(
    `select application_name as name, state, query from pg_stat_activity
      where application_name like 'mgmt%' and wait_event is distinct from 'SyncRep'`,
  );

/** Returns how long servers have sessions to the old primary, in milliseconds. */
const measureOldSessions = async (): Promise<number> => {
  const startedAt = performance.now();
  await eventually("Servers have sessions to the old primary", async () => {
    const sessions = await listOldSessions();
    return sessions.length === 0 ? undefined : JSON.stringify(sessions);
  });
  return performance.now() - startedAt;
};

/** What happens to the primary, how long others take to see it, and how it goes on afterwards. */
const faults: readonly {
  name: string;
  cause: () => Promise<void>;
  detectionMs: number;
  goOn?: () => Promise<void>;
}[] = [
  { name: "has ended", cause: () => place.primary.kill(), detectionMs: 3_000 },
  { name: "ended long ago", cause: () => place.primary.kill(), detectionMs: 20_000 },
  {
    name: "is frozen",
    cause: () => place.primary.signal("SIGSTOP"),
    detectionMs: 3_000,
    goOn: () => place.primary.signal("SIGCONT"),
  },
  {
    name: "is frozen for long",
    cause: () => place.primary.signal("SIGSTOP"),
    detectionMs: 20_000,
    goOn: () => place.primary.signal("SIGCONT"),
  },
  {
    name: "goes on at once",
    cause: () => Promise.resolve(),
    detectionMs: 0,
    goOn: () => Promise.resolve(),
  },
];

describe.runIf(isFull)("failover", () => {
  afterEach(() => place.primary.signal("SIGCONT"));

  it.each(faults)(
    "lose nothing when a standby replaces a primary that $name",
    async ({ cause, detectionMs, goOn }) => {
      await place.startPair();
      const servers = await place.startTwo();
      const load = new Load(place, `${seed}f`);
      let gaps: number[] = [];
      let oldSessionsMs = 0;
      await load.during(async () => {
        await sleep(2_000);
        await cause();
        await sleep(detectionMs);
        await place.standby.promote();
        place.postgresAddress.target = place.standby.port;
        gaps = await Promise.all(servers.map(measureWriteGap));
        if (goOn) {
          await goOn();
          oldSessionsMs = await measureOldSessions();
          // Ends the sessions of clients of databases, which wait for its standby.
          await place.primary.kill();
        }
        await sleep(1_000);
      });
      const settled = await load.settle();
      console.log("failover:", { gaps, oldSessionsMs, settled });
      expect(oldSessionsMs).toBeLessThan(maxOldSessionsMs);
      expect(Math.max(...gaps)).toBeLessThan(maxWriteGapMs);
    },
  );

  it("acknowledge no commit that its standby lacks", async () => {
    await place.startPair();
    const server = await place.start();
    await place.standby.kill();
    const body = { name: "lonely", createDatabase: false };
    const answer = server.call(place.tokens[0], "POST", "/v1/projects", body);
    // Postgres shows the rows when the session ends that waits for the standby.
    await eventually("No session waits for the standby", async () => {
      const ended = await place.primary.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
          where application_name like 'mgmt records%' and wait_event = 'SyncRep'`,
      );
      return ended.length > 0 ? undefined : "none";
    });
    expect(await answer).toMatchObject({ status: 503, hasRetryAfter: false });
    await place.primary.kill();
    await place.standby.startFollowing(place.primary);
    await place.standby.promote();
    place.postgresAddress.target = place.standby.port;
    const api = new Api(place, place.tokens[0]);
    expect((await api.list("/v1/projects")).map((project) => textAt(project, "name"))).not.toContain(
      "lonely",
    );
  });

  it("leave a primary that has become a standby", async () => {
    await place.startPair();
    const servers = await place.startTwo();
    await Promise.all(servers.map(measureWriteGap));
    // The address leads to the standby before that is promoted.
    await place.primary.kill();
    place.postgresAddress.target = place.standby.port;
    for (const server of servers) {
      const { status, hasRetryAfter } = await server.call(place.tokens[0], "POST", "/v1/projects", {
        createDatabase: false,
      });
      expect({ status, hasRetryAfter }).toEqual({ status: 503, hasRetryAfter: true });
    }
    await place.standby.promote();
    const gaps = await Promise.all(servers.map(measureWriteGap));
    console.log("failover of an address that leads to the standby:", { gaps });
    expect(Math.max(...gaps)).toBeLessThan(maxWriteGapMs);
  });
});
