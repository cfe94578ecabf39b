import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { appendFile, chmod, cp, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { Client } from "pg";
import { readErrorCode } from "../../packages/internal/src/errors/error-code.js";
import { chooseStablePort } from "../../packages/platform/src/machine/ports.js";
import { getDataDirectoryParameter } from "../../packages/platform/src/machine/postgres/cluster.js";
import { postgresEnvironment } from "../../packages/platform/src/machine/postgres/run-program.js";
import { type Cluster, adminPassword } from "../../packages/platform/test/cluster.js";
import { eventually } from "../crash/violation.js";

const run = promisify(execFile);

/** Waits until a Postgres server accepts a connection. */
export const waitUntilConnectable = (port: number, user: string): Promise<void> =>
  eventually("Postgres does not accept connections", async () => {
    await (await connectTo(port, user, "service")).end();
    return undefined;
  });

const connectTo = async (port: number, user: string, database: string): Promise<Client> => {
  const client = new Client({ host: "127.0.0.1", port, user, password: adminPassword, database });
  client.on("error", () => undefined);
  await client.connect();
  return client;
};

/** Settings that a primary and its standby have in common. */
const replicationSettings = {
  listen_addresses: "127.0.0.1",
  unix_socket_directories: ".",
  wal_level: "replica",
  max_connections: "100",
  shared_buffers: "64MB",
  // Its machine does not end.
  fsync: "off",
  log_checkpoints: "off",
};

/** A Postgres server on a copy of the files of another one. */
export class PostgresCopy {
  #child: ChildProcess | undefined;

  private constructor(
    private readonly cluster: Cluster,
    private readonly name: string,
    readonly port: number,
  ) {}

  /**
   * Copies the files of a server that has stopped.
   *
   * @param cluster whose programs are used.
   */
  static async make(cluster: Cluster, from: string, name: string): Promise<PostgresCopy> {
    const copy = new PostgresCopy(cluster, name, await chooseStablePort("127.0.0.1"));
    const { account } = cluster.options;
    await rm(copy.directory, { recursive: true, force: true });
    await cp(from, copy.directory, { recursive: true, preserveTimestamps: true });
    const rules = "host all,replication all 127.0.0.1/32 scram-sha-256\n";
    await writeFile(join(copy.directory, "pg_hba.conf"), rules);
    if (account) await run("chown", ["-R", `${String(account.uid)}:${String(account.gid)}`, copy.directory]);
    await chmod(copy.directory, 0o700);
    return copy;
  }

  /**
   * Makes a primary and a standby that follows it.
   *
   * @param from the files of a server that has stopped.
   */
  static async makePair(cluster: Cluster, from: string): Promise<[PostgresCopy, PostgresCopy]> {
    const primary = await PostgresCopy.make(cluster, from, "primary");
    // The standby follows from here, where replication is allowed.
    await primary.start();
    await primary.stop();
    const standby = await PostgresCopy.make(cluster, primary.directory, "standby");
    await writeFile(join(standby.directory, "standby.signal"), "");
    return [primary, standby];
  }

  get directory(): string {
    return join(this.cluster.directory, this.name);
  }

  /** Starts it, and waits until it accepts connections. */
  async start(settings: Record<string, string> = {}): Promise<void> {
    const { account, binaries } = this.cluster.options;
    const child = spawn(
      join(binaries.directory, "postgres"),
      [
        ...["-D", getDataDirectoryParameter(this.directory, binaries, account), "-p", String(this.port)],
        ...Object.entries({ ...replicationSettings, ...settings }).flatMap(([name, value]) => [
          "-c",
          `${name}=${value}`,
        ]),
      ],
      { ...account, cwd: this.directory, env: postgresEnvironment, stdio: ["ignore", "ignore", "pipe"] },
    );
    child.stderr.on("data", (text) => void appendFile(`${this.directory}.log`, text));
    this.#child = child;
    await waitUntilConnectable(this.port, "postgres");
  }

  /** Starts it as the standby of a primary. */
  startFollowing({ port }: PostgresCopy): Promise<void> {
    return this.start({
      primary_conninfo: `host=127.0.0.1 port=${String(port)} user=postgres password=${adminPassword}`,
    });
  }

  /** Stops it in order. */
  stop(): Promise<void> {
    return this.#end("SIGINT");
  }

  /** Ends all its processes at once. */
  async kill(): Promise<void> {
    await this.signal("SIGKILL");
    await this.#end("SIGKILL");
  }

  /** Sends a signal to all its processes. */
  async signal(name: NodeJS.Signals): Promise<void> {
    const pid = this.#child?.pid;
    if (pid === undefined || !this.isRunning) return;
    process.kill(pid, name);
    for (const id of await listChildren(pid)) {
      try {
        process.kill(id, name);
      } catch (error) {
        // It has just ended.
        if (readErrorCode(error) !== "ESRCH") throw error;
      }
    }
  }

  connect(user = "postgres", database = "service"): Promise<Client> {
    return connectTo(this.port, user, database);
  }

  /** Runs one statement as the superuser. */
  async query<Row extends object>(text: string): Promise<Row[]> {
    const client = await this.connect();
    try {
      return (await client.query<Row>(text)).rows;
    } finally {
      await client.end();
    }
  }

  /** Makes a standby a primary. */
  async promote(): Promise<void> {
    await this.query("select pg_promote()");
  }

  get isRunning(): boolean {
    return this.#child !== undefined && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child;
    if (child === undefined || !this.isRunning) return;
    const ended = once(child, "exit");
    child.kill(signal);
    await ended;
  }
}

/** Returns the ids of the processes that a process has started. */
const listChildren = async (parent: number): Promise<number[]> => {
  const ids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const parents = await Promise.all(ids.map((id) => readFile(`/proc/${id}/stat`, "utf8").catch(() => "")));
  // The name of the program, which is in parentheses, may contain spaces.
  return ids.flatMap((id, index) =>
    parents[index]?.replace(/^.*\) /s, "").split(" ")[1] === String(parent) ? [Number(id)] : [],
  );
};
