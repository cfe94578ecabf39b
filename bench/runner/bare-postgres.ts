import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { chown, mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { embeddedPostgres } from "./paths.js";
import { queryOne } from "./tenant.js";

/** User id of `nobody` on most systems; Postgres refuses to run as root. */
const account = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : undefined;

/** The platform's Postgres on the same kind of disk, started by hand: no passwords, no API, no supervision. */
export class BarePostgres {
  #databases = 0;

  private constructor(
    private readonly directory: string,
    private readonly port: number,
    private readonly server: ChildProcess,
  ) {}

  /** Runs initdb, starts the server, and waits for the first connection. */
  static async start(): Promise<BarePostgres> {
    const base = process.platform === "linux" && existsSync("/dev/shm") ? "/dev/shm" : tmpdir();
    const directory = await mkdtemp(join(base, "mgmt-bench-"));
    if (account) await chown(directory, account.uid, account.gid);
    const initdb = run(
      "initdb",
      directory,
      "--username=postgres",
      "--auth=trust",
      "--no-sync",
      "--no-locale",
    );
    const [status] = await once(initdb, "exit");
    if (status !== 0) throw new Error("initdb failed");
    const port = await freePort();
    const settings = [`port=${String(port)}`, "unix_socket_directories=", "fsync=off", "shared_buffers=64MB"];
    const server = run("postgres", directory, ...settings.flatMap((setting) => ["-c", setting]));
    const postgres = new BarePostgres(directory, port, server);
    while (!(await postgres.#acceptsConnections())) await sleep(2);
    return postgres;
  }

  /** Creates a role and its database, connects as the role, and runs `select 1`. */
  async createAndQuery(): Promise<void> {
    this.#databases += 1;
    const name = `tenant_${String(this.#databases)}`;
    const client = new pg.Client({ connectionString: this.#url("postgres", "postgres") });
    await client.connect();
    try {
      await client.query(`create role ${name} login`);
      await client.query(`create database ${name} owner ${name}`);
    } finally {
      await client.end();
    }
    await queryOne(this.#url(name, name));
  }

  async stop(): Promise<void> {
    if (this.server.exitCode === null) {
      const ended = once(this.server, "exit");
      this.server.kill("SIGINT");
      await ended;
    }
    await rm(this.directory, { recursive: true, force: true });
  }

  async #acceptsConnections(): Promise<boolean> {
    if (this.server.exitCode !== null) throw new Error("postgres ended before it was ready");
    return queryOne(this.#url("postgres", "postgres")).then(
      () => true,
      () => false,
    );
  }

  #url(role: string, database: string): string {
    return `postgres://${role}@127.0.0.1:${String(this.port)}/${database}`;
  }
}

const run = (program: string, directory: string, ...parameters: string[]): ChildProcess => {
  const child = spawn(join(embeddedPostgres, "native/bin", program), ["-D", directory, ...parameters], {
    cwd: directory,
    stdio: "ignore",
    ...account,
  });
  const endWithUs = (): boolean => child.kill("SIGINT");
  process.once("exit", endWithUs);
  child.once("exit", () => process.off("exit", endWithUs));
  return child;
};

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("No free port found");
  server.close();
  await once(server, "close");
  return address.port;
};
