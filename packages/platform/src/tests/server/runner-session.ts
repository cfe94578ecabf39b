import { randomBytes, randomInt } from "node:crypto";
import { Socket } from "node:net";
// Tests may replace the global functions, so these are imported.
import { clearInterval, clearTimeout, setInterval, setTimeout } from "node:timers";
import { setTimeout as sleep } from "node:timers/promises";
import { superuser } from "@mgmt/cluster/policy/dedicated-cluster";
import { Client, escapeIdentifier } from "pg";
import { isDiskFullError } from "@mgmt/cluster/connection/disk-full";
import { PlatformError, platformErrors } from "../../errors/platform-error.js";
import type { DatabaseAddress } from "../run-setup.js";
import type { ServerLocation } from "./location.js";
import { type TicketMessage, lockKeys, ownerRole, toRunnerChannel } from "./registry.js";
import { type ServerState, readServerState } from "./server-state.js";
import { type StartDaemon, startDaemon } from "./start-daemon.js";

/** How long a start of the server may take, in milliseconds. */
const startTimeoutMs = 60_000;
/** Interval between checks for a server that another process starts, in milliseconds. */
const startIntervalMs = 20;
/** How long a test waits for a copy, in milliseconds. */
const copyTimeoutMs = 60_000;

/** How long a session without databases stays open, in milliseconds. Runners that load modules again for each file open one for each. */
const idleTimeoutMs = 5_000;

/** Interval between checks whether the parent of this worker process has exited, in milliseconds. */
const parentIntervalMs = 1_000;

const host = "127.0.0.1";

const connectTo = async (
  { port, password }: ServerState,
  {
    socket = new Socket(),
    database = "postgres",
  }: { readonly socket?: Socket; readonly database?: string | undefined } = {},
): Promise<Client> => {
  const client = new Client({
    stream: () => socket,
    ...{ host, port, user: superuser, password, database },
    application_name: "mgmt-test-runner",
    connectionTimeoutMillis: 10_000,
    // Without these, `pg` follows variables that the user has set for another server, such as PGSSLMODE and PGOPTIONS.
    ...{ ssl: false, sslnegotiation: "postgres", options: " " },
  });
  // The next query shows it.
  client.on("error", () => undefined);
  await client.connect();
  return client;
};

/** Connects to the server of a location, which is started if it does not run. */
const openClient = async (
  location: ServerLocation,
  start: StartDaemon,
): Promise<{ client: Client; socket: Socket; state: ServerState }> => {
  const deadline = performance.now() + startTimeoutMs;
  let starting: Promise<void> | undefined;
  let failure: { error: unknown } | undefined;
  let connectionError: unknown;
  for (;;) {
    const state = await readServerState(location.directory);
    const socket = new Socket();
    const client =
      state &&
      (await connectTo(state, { socket }).catch((error: unknown) => {
        connectionError = error;
        return undefined;
      }));
    if (state && client) return { client, socket, state };
    if (failure !== undefined) throw failure.error;
    if (performance.now() >= deadline) {
      throw platformErrors.testDatabaseFailed(
        `Postgres did not start within ${String(startTimeoutMs / 1000)} s`,
        connectionError,
      );
    }
    starting ??= start(location)
      .catch((error: unknown) => {
        failure = { error };
      })
      .finally(() => (starting = undefined));
    await Promise.race([starting, sleep(startIntervalMs)]);
  }
};

interface SessionParts {
  readonly socket: Socket;
  readonly state: ServerState;
  readonly runnerId: number;
  readonly role: string;
  readonly password: string;
}

/** A runner's session on the server. When it is closed, the server drops the databases of this process. */
export class RunnerSession {
  readonly #client: Client;
  readonly #socket: Socket;
  readonly #state: ServerState;
  readonly #runnerId: number;
  readonly #role: string;
  readonly #password: string;
  readonly #tickets = new Map<string, (message: TicketMessage) => void>();
  /** Resolves when the last statement has finished. */
  #previousQuery: Promise<unknown> = Promise.resolve();
  #busyCount = 0;
  #useCount = 0;
  #idleTimer: NodeJS.Timeout | undefined;
  readonly #parentTimer: NodeJS.Timeout | undefined;
  #isClosed = false;

  private constructor(
    readonly location: ServerLocation,
    client: Client,
    { socket, state, runnerId, role, password }: SessionParts,
  ) {
    this.#client = client;
    this.#socket = socket;
    this.#state = state;
    this.#runnerId = runnerId;
    this.#role = role;
    this.#password = password;
    client.on("notification", ({ payload }) => {
      // The server wrote it.
      const message = JSON.parse(payload ?? "{}") as TicketMessage;
      this.#tickets.get(message.ticket)?.(message);
    });
    client.once("end", () => {
      this.#isClosed = true;
      clearInterval(this.#parentTimer);
      for (const answer of this.#tickets.values())
        answer({ ticket: "", error: { message: "Postgres has ended", isDiskFull: false } });
    });
    socket.unref();
    this.#parentTimer = onParentExit(() => void this.close().catch(() => undefined));
  }

  /**
   * Connects to the server, which is started if it does not run, and creates the role of this process.
   *
   * @param start starts the server. Default: as a program of its own.
   * @throws PlatformError `platform:postgres_failed`, `platform:disk_full`, `platform:test_database_failed`.
   */
  static async open(location: ServerLocation, start: StartDaemon = startDaemon): Promise<RunnerSession> {
    for (let attempt = 1; ; attempt += 1) {
      const { client, socket, state } = await openClient(location, start);
      try {
        const identity = await createIdentity(client);
        return new RunnerSession(location, client, { socket, state, ...identity });
      } catch (error) {
        await client.end().catch(() => undefined);
        // The server was about to end.
        if (attempt === 3) throw toTestDatabaseError(error, location);
      }
    }
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Id of this process in the registry. */
  get runnerId(): number {
    return this.#runnerId;
  }

  /** Port of the server. */
  get port(): number {
    return this.#state.port;
  }

  /** Returns how tests of this process connect to a database. */
  toAddress(database: string): DatabaseAddress {
    return { host, port: this.#state.port, database, user: this.#role, password: this.#password };
  }

  /** Runs a statement on the registry, after those before it. Meanwhile, this process does not end. */
  async query<Row extends object>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    return this.#whileReferenced(async () => {
      const result = this.#previousQuery.then(() => this.#client.query<Row>(text, [...values]));
      this.#previousQuery = result.catch(() => undefined);
      try {
        return (await result).rows;
      } catch (error) {
        throw toTestDatabaseError(error, this.location);
      }
    });
  }

  /**
   * Opens another session, which the caller ends.
   *
   * @param database default: the database of the registry.
   */
  async openSession(database?: string): Promise<Client> {
    try {
      return await connectTo(this.#state, { database });
    } catch (error) {
      throw toTestDatabaseError(error, this.location);
    }
  }

  /**
   * Returns the name of a copy of a template that no other test has. Waits for one when none is ready.
   *
   * @throws PlatformError `platform:disk_full`, `platform:test_database_failed`.
   */
  async acquireDatabase(template: string): Promise<string> {
    const ticket = randomBytes(8).toString("hex");
    return this.#whileReferenced(async () => {
      const served = new Promise<TicketMessage>((resolve) => this.#tickets.set(ticket, resolve));
      try {
        const [row] = await this.query<{ name: string | null }>("select mgmt_test.take($1, $2, $3) as name", [
          template,
          this.#runnerId,
          ticket,
        ]);
        if (row?.name) return row.name;
        const { database, error } = await limit(served, copyTimeoutMs);
        if (database !== undefined) return database;
        throw error?.isDiskFull
          ? platformErrors.testDiskFull(this.location.directory)
          : platformErrors.testDatabaseFailed(error?.message ?? "the server did not answer");
      } finally {
        this.#tickets.delete(ticket);
      }
    });
  }

  /** Ends the use of a copy: the server drops it, or keeps it as the database of a failed test. */
  async releaseDatabase(database: string, state: "ended" | "retained"): Promise<void> {
    await this.query("select mgmt_test.finish($1, $2)", [database, state]);
  }

  /** Keeps the session open until `release` is called as often. */
  acquire(): void {
    this.#useCount += 1;
    clearTimeout(this.#idleTimer);
  }

  release(): void {
    this.#useCount -= 1;
    if (this.#useCount > 0 || this.#isClosed) return;
    this.#idleTimer = setTimeout(() => void this.close().catch(() => undefined), idleTimeoutMs).unref();
  }

  /** Terminates the session. The server drops the databases of this process. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#idleTimer);
    this.#socket.ref();
    await this.#client.end();
  }

  /** Keeps this process from ending while it waits for the server. */
  async #whileReferenced<T>(callback: () => Promise<T>): Promise<T> {
    this.#busyCount += 1;
    this.#socket.ref();
    try {
      return await callback();
    } finally {
      this.#busyCount -= 1;
      if (this.#busyCount === 0) this.#socket.unref();
    }
  }
}

/** Returns the error of the platform for an error of the server. */
export const toTestDatabaseError = (error: unknown, { directory }: ServerLocation): unknown => {
  if (error instanceof PlatformError) return error;
  if (isDiskFullError(error)) return platformErrors.testDiskFull(directory, error);
  return platformErrors.testDatabaseFailed(error instanceof Error ? error.message : String(error), error);
};

/**
 * Calls back when this process is a worker of a runner that was killed. Not every runner's workers end then: a connection that a test has
 * left would keep its database for ever.
 */
const onParentExit = (onExit: () => void): NodeJS.Timeout | undefined => {
  if (process.channel === undefined || process.channel === null) return undefined;
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    onExit();
  }, parentIntervalMs).unref();
  return timer;
};

const createIdentity = async (
  client: Client,
): Promise<{ runnerId: number; role: string; password: string }> => {
  // No other process has the lock of a new id.
  const runnerId = randomInt(1, 2 ** 31 - 1);
  const role = `test_${String(runnerId)}`;
  const password = randomBytes(16).toString("hex");
  await client.query("select pg_advisory_lock($1, $2)", [lockKeys.runner, runnerId]);
  await client.query(
    `insert into mgmt_test.owner (id, role) values (${String(runnerId)}, '${role}');
     create role ${escapeIdentifier(role)} login password '${password}' in role ${escapeIdentifier(ownerRole)};
     alter role ${escapeIdentifier(role)} set role to ${escapeIdentifier(ownerRole)};
     listen ${toRunnerChannel(runnerId)}`,
  );
  return { runnerId, role, password };
};

const limit = async (served: Promise<TicketMessage>, timeoutMs: number): Promise<TicketMessage> => {
  const controller = new AbortController();
  const timedOut = sleep(
    timeoutMs,
    {
      ticket: "",
      error: {
        message: `no copy of the template was ready within ${String(timeoutMs / 1000)} s`,
        isDiskFull: false,
      },
    },
    { signal: controller.signal },
  );
  timedOut.catch(() => undefined);
  try {
    return await Promise.race([served, timedOut]);
  } finally {
    controller.abort();
  }
};
