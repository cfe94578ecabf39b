import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Target } from "../programs/answer.js";
import { type Postgres, query, startPostgres } from "./postgres.js";

export interface MgmtServer extends Target {
  /** URL of the metrics. */
  readonly adminUrl: string;
  readonly pid: number;
}

export interface MgmtService {
  readonly postgres: Postgres;
  readonly servers: readonly [MgmtServer, ...MgmtServer[]];
}

/** Login of the servers in Postgres, and name of the database with the records. */
export const serviceName = "service";

/** Counts requests like the default does, and refuses none. */
const settings = {
  listen: "127.0.0.1:0",
  adminListen: "127.0.0.1:0",
  baseUrl: "http://127.0.0.1",
  keyFile: "keys",
  drainSeconds: 0,
  logLevel: "info",
  limits: { requests: 1_000_000_000 },
};

/** Does work with a service of `mgmt serve` on a Postgres server of its own. */
export const withService = async <Result>(
  mgmt: string,
  serverCount: number,
  work: (service: MgmtService) => Promise<Result>,
): Promise<Result> => {
  const folder = await mkdtemp(join(tmpdir(), "mgmt-bench-"));
  const postgres = await startPostgres();
  const processes: ChildProcess[] = [];
  const run = (...parameters: string[]): ChildProcess =>
    spawn(process.execPath, [mgmt, "serve", ...parameters, "--config", "serve.json"], {
      cwd: folder,
      env: { ...process.env, MGMT_SERVE_DATABASE_URL: postgres.buildUrl(serviceName, serviceName) },
      stdio: ["ignore", "pipe", "inherit"],
    });
  const stopServers = (): void => {
    for (const server of processes) server.kill("SIGTERM");
  };
  process.once("exit", stopServers);
  try {
    await writeFile(join(folder, "serve.json"), JSON.stringify(settings));
    await query(
      postgres.buildUrl("postgres", "postgres"),
      `create role ${serviceName} login createdb createrole`,
      `grant pg_signal_backend to ${serviceName}`,
    );
    const owner = ["--workspace", "bench", "--owner", "bench@example.com"];
    const [status] = await once(run("init", ...owner, "--secret-file", "token.json"), "exit");
    if (status !== 0) throw new Error(`mgmt serve init exited with ${String(status)}`);
    const { value: token }: { value: string } = JSON.parse(
      await readFile(join(folder, "token.json"), "utf8"),
    );
    const start = async (): Promise<MgmtServer> => {
      const server = run();
      processes.push(server);
      return { ...(await readAddresses(server)), token, pid: Number(server.pid) };
    };
    const servers: [MgmtServer, ...MgmtServer[]] = [await start()];
    while (servers.length < serverCount) servers.push(await start());
    return await work({ postgres, servers });
  } finally {
    process.off("exit", stopServers);
    const ended = processes.map((server) => server.exitCode ?? once(server, "exit"));
    stopServers();
    await Promise.all(ended);
    await postgres.stop();
    await rm(folder, { recursive: true, force: true });
  }
};

/** Waits until a server is ready. */
const readAddresses = async ({
  stdout,
}: ChildProcess): Promise<{ readonly baseUrl: string; readonly adminUrl: string }> => {
  if (stdout === null) throw new Error("mgmt serve has no output");
  for await (const line of createInterface({ input: stdout })) {
    const { msg, address, adminAddress }: Record<string, string | undefined> = JSON.parse(line);
    if (msg !== "ready" || address === undefined || adminAddress === undefined) continue;
    stdout.resume();
    return { baseUrl: address, adminUrl: adminAddress };
  }
  throw new Error("mgmt serve ended before it was ready");
};
