import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chown, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { findProgram } from "../../packages/cli/src/system/find-program.js";
import { listen } from "../programs/listen.js";
import { type Postgres, account, query } from "./postgres.js";

const program = findProgram("pgbouncer", process.env);

/** Whether the machine has PgBouncer, which npm cannot install. */
export const hasPgBouncer = program !== undefined;

export interface PgBouncer {
  readonly pid: number;
  /** Returns the connection string for a database, as the administrator of the Postgres server. */
  buildUrl(database: string): string;
  stop(): Promise<void>;
}

/** Starts PgBouncer before a Postgres server, with a connection to it for each client, without TLS and passwords. */
export const startPgBouncer = async ({ buildUrl }: Postgres): Promise<PgBouncer> => {
  if (program === undefined) throw new Error("PATH has no pgbouncer");
  const folder = await mkdtemp(join(tmpdir(), "mgmt-bench-"));
  const probe = createServer();
  const { port } = new URL(await listen(probe));
  await once(probe.close(), "close");
  const [users, settings] = [join(folder, "users.txt"), join(folder, "pgbouncer.ini")];
  await writeFile(users, '"postgres" ""\n');
  await writeFile(
    settings,
    `[databases]
* = host=127.0.0.1 port=${new URL(buildUrl("postgres", "postgres")).port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = trust
auth_file = ${users}
pool_mode = session
ignore_startup_parameters = extra_float_digits,options
`,
  );
  if (account) for (const path of [folder, users, settings]) await chown(path, account.uid, account.gid);
  const child: ChildProcess = spawn(program, ["-q", settings], { cwd: folder, stdio: "ignore", ...account });
  const ended = once(child, "exit");
  const stop = (): boolean => child.kill("SIGTERM");
  process.once("exit", stop);
  const buildOwnUrl = (database: string): string => `postgres://postgres@127.0.0.1:${port}/${database}`;
  const accepts = (): Promise<boolean> =>
    query(buildOwnUrl("postgres"), "select 1").then(
      () => true,
      () => false,
    );
  while (!(await accepts())) {
    if (child.exitCode !== null) throw new Error("pgbouncer ended before it was ready");
    await sleep(10);
  }
  return {
    pid: Number(child.pid),
    buildUrl: buildOwnUrl,
    stop: async () => {
      process.off("exit", stop);
      stop();
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
};
