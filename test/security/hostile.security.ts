import { once } from "node:events";
import { type Socket, connect } from "node:net";
import { type Client, DatabaseError } from "pg";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { type Resource, call, finalStatus, makeProject, query } from "../../packages/platform/test/api.js";
import { firstMessage } from "../../packages/platform/test/proxy/wire.js";
import type { Ready } from "../../packages/platform/src/start/ready.js";
import { type DevProcess, startDev } from "./dev-process.js";
import { type PlainPostgres, startPlainPostgres } from "./plain-postgres.js";
import { sessionOpener } from "./sessions.js";
import { newWorkspace } from "./workspaces.js";

// All that one tenant can do, at once. The attacks one by one, with their controls, are in tenant-limits.security.ts.

/** How long the attack is repeated while durations are measured. Default: until the attacker is closed, and nothing is measured. */
const seconds = Number(process.env["MGMT_HOSTILE_SECONDS"] ?? 0);

let dev: DevProcess;
let plain: PlainPostgres;
const open = sessionOpener();

beforeAll(async () => {
  [dev, plain] = await Promise.all([startDev(), startPlainPostgres()]);
});
afterAll(async () => {
  await dev.stop();
  await plain.stop();
});

const tooManyConnections = { code: "53300" };
/** SQLSTATE. */
const outOfLocks = "53200";
const patient = { timeout: 120_000, interval: 50 };

/** Returns the connection string for Postgres itself, where less stands in the way than in the proxy. */
const direct = ({ connectionString }: Resource): string => {
  const address = new URL(connectionString);
  address.port = String(dev.ready.postgresPort);
  address.search = "";
  return address.href;
};

const nameOf = (connectionString: string): string => new URL(connectionString).pathname.slice(1);

const takeLocks = `do $$ begin
    for key in 1..1000000 loop perform pg_advisory_lock(key); end loop;
  exception when out_of_memory then null; end $$`;
const needLocks =
  "begin; create table many (id int primary key); create table more (id int references many); rollback";

/**
 * What sessions of the attacker run. All others only occupy a connection. None ignores signals, because Postgres may have to restart to end
 * such a statement, as a test in tenants.security.ts shows: then requests of others are refused for a moment.
 */
const hostileStatements = (database: string): string[] => [
  takeLocks,
  // Files outside databases.
  "do $$ begin for i in 1..1000000 loop perform pg_export_snapshot(); end loop; end $$",
  `do $$ begin for i in 1..1000000 loop
      execute format('comment on database ${database} is %L', repeat(md5(i::text), 30000)); end loop; end $$`,
  `begin; alter database ${database} set work_mem = '1MB'; select pg_sleep(600)`,
  "select count(*) from generate_series(1, 1000000000000)",
  "create temp table large as select repeat('x', 1000) from generate_series(1, 100000000)",
];

const ignoreError = (): undefined => undefined;

/** Opens all connections that Postgres allows, and runs something hostile on some. Never fails. */
const attack = async (connectionString: string, statements: readonly string[]): Promise<Client[]> => {
  const sessions = await Promise.allSettled(Array.from({ length: 110 }, () => open(connectionString)));
  const opened = sessions.flatMap((session) => (session.status === "fulfilled" ? [session.value] : []));
  for (const [index, statement] of statements.entries())
    void opened[index]?.query(statement).catch(ignoreError);
  return opened;
};

/** Begins logins in the name of somebody else that never end. */
const beginLogins = async (connectionString: string): Promise<Socket[]> => {
  const { port, username } = new URL(connectionString);
  const sockets = Array.from({ length: 150 }, () =>
    connect(Number(port), "127.0.0.1").on("error", ignoreError),
  );
  for (const socket of sockets) socket.write(firstMessage([["user", username]]));
  await Promise.all(sockets.map((socket) => Promise.race([once(socket, "data"), once(socket, "close")])));
  return sockets;
};

/** What the neighbor has seen of the service. */
interface Experience {
  /** Of each request, in milliseconds. */
  readonly durations: number[];
  /** Number of requests that the service has refused for a moment. */
  rejectedCount: number;
}

const isUnavailable = (error: unknown): boolean => error instanceof Error && error.message.startsWith("503 ");

/**
 * Does something until it is not refused for a moment, as clients do: until the guard notices that the attacker has taken all locks of the
 * server, Postgres refuses statements of others that need one.
 */
const persist = async <T>(work: () => Promise<T>, onRejected = (): void => undefined): Promise<T> => {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      const isOutOfLocks = error instanceof DatabaseError && error.code === outOfLocks;
      if (!isUnavailable(error) && !isOutOfLocks) throw error;
      onRejected();
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
};

/** Uses the API and a database as a customer does. Fails unless every result is right. */
const work = async (neighbor: Ready, experience: Experience): Promise<void> => {
  const request = (...words: [method: string, path: string, body?: object]): Promise<Resource> =>
    persist(
      async () => {
        const start = performance.now();
        try {
          return await call(neighbor, ...words);
        } finally {
          experience.durations.push(performance.now() - start);
        }
      },
      () => (experience.rejectedCount += 1),
    );
  const { id, database } = await request("POST", "/v1/projects", { name: "shop" });
  expect(await persist(() => finalStatus(neighbor, database.id))).toBe("ready");
  expect(await request("GET", `/v1/projects/${id}`)).toMatchObject({ id, name: "shop" });
  const ask = (connectionString: string) => persist(() => query(connectionString, "select 1 as one"));
  expect(await ask(database.connectionString)).toEqual([{ one: 1 }]);
  const [connection] = database.connections;
  const rotated = await request("POST", `/v1/connections/${connection?.id ?? ""}/rotate`);
  expect(await ask(rotated.connectionString)).toEqual([{ one: 1 }]);
  const { rejectedCount } = experience;
  await request("DELETE", `/v1/projects/${id}`).catch((error: unknown) => {
    // A request whose outcome was not known may have taken effect.
    if (experience.rejectedCount === rejectedCount) throw error;
  });
  await expect(request("GET", `/v1/projects/${id}`)).rejects.toThrow("404");
};

describe("a hostile tenant that does its worst at once", () => {
  it("is closed, while all requests of another workspace are answered and its sessions go on", async () => {
    const [attacker, neighbor] = [await newWorkspace(dev.ready), await newWorkspace(dev.ready)];
    const victim = await makeProject(neighbor);
    const openSession = await open(direct(victim.database));
    const experience: Experience = { durations: [], rejectedCount: 0 };
    const halfOpen = await beginLogins(direct(victim.database));
    const end = performance.now() + seconds * 1_000;
    let isOver = false;
    /** Attacks with one database after the other, because each is soon closed. */
    const attackRepeatedly = async (): Promise<void> => {
      do {
        const address = direct((await persist(() => makeProject(attacker))).database);
        const sessions = await attack(address, hostileStatements(nameOf(address)));
        // Until then, only its own sessions keep others of it out.
        await vi.waitFor(() => expect(sessions.at(-1)?.query("select")).rejects.toThrow(), patient);
        await vi.waitFor(
          () => expect(query(address, "select")).rejects.toMatchObject(tooManyConnections),
          patient,
        );
      } while (performance.now() < end);
    };
    try {
      const attacked = attackRepeatedly().finally(() => {
        isOver = true;
      });
      const workRepeatedly = async (): Promise<void> => {
        do await work(neighbor, experience);
        while (!isOver);
      };
      await Promise.all([attacked, workRepeatedly()]);
      expect((await openSession.query("select 1 as one")).rows).toEqual([{ one: 1 }]);
      await vi.waitFor(() => query(direct(victim.database), needLocks), patient);
    } finally {
      for (const socket of halfOpen) socket.destroy();
    }
    if (seconds > 0) {
      const { durations, rejectedCount } = experience;
      const sorted = durations.toSorted((a, b) => a - b);
      const p99 = sorted[Math.ceil(sorted.length * 0.99) - 1];
      const share = `${String(rejectedCount)} of ${String(sorted.length)} requests were refused for a moment`;
      console.log(`p99 ${String(Math.round(p99 ?? 0))} ms; ${share}`);
      expect(p99).toBeLessThan(1_000);
    }

    // The control: without the platform, the neighbor cannot work.
    await attack(plain.tenants[0], [takeLocks]);
    await vi.waitFor(() => expect(query(plain.tenants[1], needLocks)).rejects.toThrow(), patient);
  });
});
