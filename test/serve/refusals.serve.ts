import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, cp, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { Client } from "pg";
import { describe, expect, it, onTestFinished } from "vitest";
import { chooseLongLivedPort } from "../../packages/platform/src/machine/ports.js";
import { getDataDirectoryParameter } from "../../packages/platform/src/machine/postgres/cluster.js";
import { postgresEnvironment } from "../../packages/platform/src/machine/postgres/run-program.js";
import { adminPassword } from "../../packages/platform/test/cluster.js";
import { makeMovedClock } from "../crash/moved-clock.js";
import { eventually } from "../crash/violation.js";
import { ServePlace, isFull } from "./place.js";

const place = new ServePlace();
const run = promisify(execFile);
const pgBouncer = "pgbouncer";
const hasPgBouncer = await run(pgBouncer, ["--version"]).then(
  () => true,
  () => false,
);

/** Waits until a Postgres server accepts a connection. */
const connects = (port: number, user: string): Promise<void> =>
  eventually("Postgres does not accept connections", async () => {
    const address = { host: "127.0.0.1", port, user, password: adminPassword, database: "service" };
    const client = new Client(address);
    client.on("error", () => undefined);
    try {
      await client.connect();
      return undefined;
    } finally {
      await client.end().catch(() => undefined);
    }
  });

/** Ends a program with the test. */
const endLater = (child: ChildProcess): void =>
  onTestFinished(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, "exit");
    child.kill("SIGINT");
    await ended;
  });

const urlAt = (port: number): string => {
  const url = new URL(place.service.buildUrl("service"));
  url.port = String(port);
  return url.href;
};

describe("a second server", () => {
  it("settings: is refused with other settings than the first one has", async () => {
    await place.start();
    await expect(place.startAlone({ limits: { requests: 5 } })).rejects.toMatchObject({
      code: "serve:settings_differ",
    });
  });

  it("clock: is refused with another clock", async () => {
    await place.start();
    const clock = await makeMovedClock(place.service.cluster.directory);
    await writeFile(clock.file, String(2 * 3_600_000));
    await expect(place.startAlone({}, clock.environment)).rejects.toMatchObject({
      code: "serve:clock_differs",
    });
  });

  it.runIf(isFull && hasPgBouncer)("pooler: is refused behind PgBouncer", async () => {
    const { cluster } = place.service;
    const { account, port } = cluster.options;
    const directory = join(cluster.directory, "pgbouncer");
    await mkdir(directory);
    const poolerPort = await chooseLongLivedPort("127.0.0.1");
    const files = {
      users: [join(directory, "users.txt"), `"service" "${adminPassword}"\n`],
      settings: [
        join(directory, "pgbouncer.ini"),
        `[databases]
* = host=127.0.0.1 port=${String(port)}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${String(poolerPort)}
auth_type = plain
auth_file = ${join(directory, "users.txt")}
pool_mode = transaction
ignore_startup_parameters = extra_float_digits,options
unix_socket_dir =
`,
      ],
    } as const;
    for (const [path, text] of Object.values(files)) await writeFile(path, text);
    const child = spawn(pgBouncer, [files.settings[0]], { ...account, cwd: directory, stdio: "ignore" });
    endLater(child);
    await connects(poolerPort, "service");
    await expect(place.startAlone({ databaseUrl: urlAt(poolerPort) })).rejects.toMatchObject({
      code: "serve:pooler",
    });
  });

  it.runIf(isFull)("standby: is refused on a standby server", async () => {
    const { cluster } = place.service;
    const { account, binaries, directory } = cluster.options;
    const port = await chooseLongLivedPort("127.0.0.1");
    const standbyPort = await chooseLongLivedPort("127.0.0.1");
    await cluster.server.stop();
    const startCopy = async (name: string, ownPort: number, settings: Record<string, string>) => {
      const child = spawn(
        join(binaries.directory, "postgres"),
        [
          "-D",
          getDataDirectoryParameter(join(cluster.directory, name), binaries, account),
          "-p",
          String(ownPort),
        ].concat(
          Object.entries({
            ...settings,
            listen_addresses: "127.0.0.1",
            unix_socket_directories: ".",
            wal_level: "replica",
            max_connections: "30",
          }).flatMap(([key, value]) => ["-c", `${key}=${value}`]),
        ),
        { ...account, cwd: join(cluster.directory, name), env: postgresEnvironment, stdio: "ignore" },
      );
      endLater(child);
      await connects(ownPort, "postgres");
      return child;
    };
    const copy = async (from: string, name: string): Promise<void> => {
      await cp(from, join(cluster.directory, name), { recursive: true, preserveTimestamps: true });
      if (account)
        await run("chown", [
          "-R",
          `${String(account.uid)}:${String(account.gid)}`,
          join(cluster.directory, name),
        ]);
      await chmod(join(cluster.directory, name), 0o700);
    };
    try {
      await copy(directory, "primary");
      const first = await startCopy("primary", port, {});
      const ended = once(first, "exit");
      first.kill("SIGINT");
      await ended;
      await copy(join(cluster.directory, "primary"), "standby");
      await writeFile(join(cluster.directory, "standby", "standby.signal"), "");
      await writeFile(
        join(cluster.directory, "primary", "pg_hba.conf"),
        "host all,replication all 127.0.0.1/32 scram-sha-256\n",
      );
      await startCopy("primary", port, {});
      await startCopy("standby", standbyPort, {
        primary_conninfo: `host=127.0.0.1 port=${String(port)} user=postgres password=${adminPassword}`,
      });
      await expect(place.startAlone({ databaseUrl: urlAt(standbyPort) })).rejects.toMatchObject({
        code: "serve:standby",
      });
    } finally {
      await cluster.startServer();
    }
  });
});
