import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import { chooseStablePort } from "../../packages/platform/src/machine/ports.js";
import { adminPassword } from "../../packages/platform/test/cluster.js";
import { makeMovedClock } from "../crash/moved-clock.js";
import { ServePlace, isFull } from "./place.js";
import { PostgresCopy, waitUntilConnectable } from "./postgres-copy.js";

const place = new ServePlace();
const run = promisify(execFile);
const pgBouncer = "pgbouncer";
const hasPgBouncer = await run(pgBouncer, ["--version"]).then(
  () => true,
  () => false,
);

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
    const poolerPort = await chooseStablePort("127.0.0.1");
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
    await waitUntilConnectable(poolerPort, "service");
    await expect(place.startAlone({ databaseUrl: urlAt(poolerPort) })).rejects.toMatchObject({
      code: "serve:pooler",
    });
  });

  it.runIf(isFull)("standby: is refused on a standby server", async () => {
    const { cluster } = place.service;
    await cluster.server.stop();
    const [primary, standby] = await PostgresCopy.makePair(cluster, cluster.options.directory);
    try {
      await primary.start();
      await standby.startFollowing(primary);
      await expect(place.startAlone({ databaseUrl: urlAt(standby.port) })).rejects.toMatchObject({
        code: "serve:standby",
      });
    } finally {
      await Promise.all([primary.kill(), standby.kill()]);
      await cluster.startServer();
    }
  });
});
