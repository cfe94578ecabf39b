import { spawn } from "node:child_process";
import { mkdir, readFile, readdir, rm, stat, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { chooseEphemeralParent } from "../data-dir/directories.js";
import { PlatformError } from "@mgmt/platform";
import { type Binaries, findBinaries } from "./binaries.js";
import { createCluster, getDataDirectoryParameter } from "./cluster.js";
import { stopOrphanedServers } from "./orphaned-processes.js";
import { runProgram } from "./run-program.js";
import { PostgresPortTakenError, PostgresServer, type ServerOptions } from "./server.js";
import { running, uninterruptible } from "../../../../cluster/test/sessions.js";
import { adminPassword, makeCluster, temporaryDirectory } from "../../../test/cluster.js";
import { postmasterPid, signal } from "../../../test/processes.js";

let directory: string;
let options: ServerOptions;

beforeAll(async () => {
  directory = await temporaryDirectory(await chooseEphemeralParent());
  options = await makeCluster(directory);
});
afterAll(() => rm(directory, { recursive: true, force: true }));

const connect = async (): Promise<Client> => {
  const client = new Client({
    host: "127.0.0.1",
    port: options.port,
    user: "postgres",
    password: adminPassword,
    database: "postgres",
  });
  client.on("error", () => undefined);
  await client.connect();
  return client;
};

const isRunning = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

describe("a server", () => {
  it("is ready after start, and gone after stop even with clients connected", async () => {
    const server = await PostgresServer.start(options);
    const pid = await postmasterPid(options.directory);
    const client = await connect();
    await client.query("select 1");
    await server.stop();
    await server.exited;
    expect(isRunning(pid)).toBe(false);
    await expect(client.query("select 1")).rejects.toThrow();
    await expect(readFile(join(options.directory, "postmaster.pid"))).rejects.toThrow();
  });

  it("is gone after stop although a session runs a statement that Postgres cannot interrupt", async () => {
    const server = await PostgresServer.start(options);
    const pid = await postmasterPid(options.directory);
    const client = await connect();
    const failed = expect(client.query(uninterruptible)).rejects.toThrow();
    await running(await connect(), "array_fill");
    // Otherwise it would wait for the statement.
    await server.stop({ sessions: 0, checkpoint: Infinity });
    await failed;
    expect(isRunning(pid)).toBe(false);
  });

  it("listens on loopback TCP, and on a socket file that only its owner reaches", async () => {
    const server = await PostgresServer.start(options);
    const client = await connect();
    const socketFile = `.s.PGSQL.${String(options.port)}`;
    expect((await stat(options.directory)).mode & 0o777).toBe(0o700);
    expect((await stat(join(options.directory, socketFile))).isSocket()).toBe(true);
    const { rows } = await client.query(
      "select name, setting from pg_settings where name in ('listen_addresses', 'unix_socket_directories') order by 1",
    );
    expect(rows).toEqual([
      { name: "listen_addresses", setting: "127.0.0.1" },
      { name: "unix_socket_directories", setting: "." },
    ]);
    await client.end();
    await server.stop();
    expect(await readdir(options.directory)).not.toContain(socketFile);
  });

  it("replaces access rules that someone else wrote", async () => {
    const rules = join(options.directory, "pg_hba.conf");
    await writeFile(rules, "host all all 127.0.0.1/32 trust\n");
    const server = await PostgresServer.start(options);
    expect((await stat(rules)).mode & 0o777).toBe(0o600);
    const client = new Client({
      host: "127.0.0.1",
      port: options.port,
      user: "postgres",
      password: "guessed",
    });
    await expect(client.connect()).rejects.toMatchObject({ code: "28P01" });
    await server.stop();
  });

  it("syncs to disk when its data must be durable", async () => {
    const server = await PostgresServer.start({ ...options, isDurable: true });
    const client = await connect();
    expect((await client.query("show fsync")).rows).toEqual([{ fsync: "on" }]);
    expect((await client.query("show synchronous_commit")).rows).toEqual([{ synchronous_commit: "on" }]);
    expect((await client.query("show full_page_writes")).rows).toEqual([{ full_page_writes: "on" }]);
    const method = process.platform === "linux" ? "syncfs" : "fsync";
    expect((await client.query("show recovery_init_sync_method")).rows).toEqual([
      { recovery_init_sync_method: method },
    ]);
    await client.end();
    await server.stop();
  });

  it("replaces a server that was killed, and one that was left running", async () => {
    const killed = await PostgresServer.start(options);
    signal(await postmasterPid(options.directory), "SIGKILL");
    await killed.exited;

    const orphan = await PostgresServer.start(options);
    const pid = await postmasterPid(options.directory);
    const server = await PostgresServer.start(options);
    await orphan.exited;
    expect(isRunning(pid)).toBe(false);
    await (await connect()).end();
    await server.stop();
    await orphan.stop();
  });

  it.runIf(process.platform === "linux")("leaves no shared memory when it was killed", async () => {
    const server = await PostgresServer.start(options);
    const lockFile = await readFile(join(options.directory, "postmaster.pid"), "utf8");
    const id = lockFile.split("\n")[6]?.trim().split(/\s+/)[1];
    const isLeft = async (): Promise<boolean> =>
      (await readFile("/proc/sysvipc/shm", "utf8"))
        .split("\n")
        .some((line) => line.trim().split(/\s+/)[1] === id);
    expect(await isLeft()).toBe(true);
    signal(await postmasterPid(options.directory), "SIGKILL");
    await server.exited;
    await stopOrphanedServers(options.directory);
    expect(await isLeft()).toBe(false);
    await server.stop();
  });

  it("keeps no shared memory outside of its directory, also while the cluster is created", async ({
    skip,
  }) => {
    const { binaries, account, directory: cluster } = options;
    if (binaries.major < 16) skip("initdb of this version has no parameter for it");
    const { stdout } = await runProgram(
      join(binaries.directory, "postgres"),
      ["-D", getDataDirectoryParameter(cluster, binaries, account), "-C", "dynamic_shared_memory_type"],
      { account, cwd: cluster },
    );
    expect(stdout.trim()).toBe("mmap");
  });

  it("starts when the process id in its lock files belongs to another program", async () => {
    const other = spawn("sleep", ["60"], { ...options.account, stdio: "ignore" });
    const lock = `${String(other.pid)}\n/somewhere\n`;
    await writeFile(join(options.directory, "postmaster.pid"), lock);
    await writeFile(join(options.directory, `.s.PGSQL.${String(options.port)}.lock`), lock);
    const server = await PostgresServer.start(options);
    await server.stop();
    other.kill();
  });

  it("reports that its port is in use", async () => {
    const other = createServer().listen(options.port, "127.0.0.1");
    await new Promise((resolve) => other.once("listening", resolve));
    await expect(PostgresServer.start(options)).rejects.toBeInstanceOf(PostgresPortTakenError);
    await new Promise((resolve) => other.close(resolve));
  });

  it("reports the messages of Postgres when it does not start", async () => {
    const control = join(options.directory, "global", "pg_control");
    const bytes = await readFile(control);
    await writeFile(control, Buffer.alloc(bytes.length));
    const failed = PostgresServer.start(options);
    await expect(failed).rejects.toThrow(/FATAL/);
    await expect(failed).rejects.toBeInstanceOf(PlatformError);
    await writeFile(control, bytes);
  });

  it("keeps failed statements, which may contain secrets, out of its log", async () => {
    const server = await PostgresServer.start(options);
    const client = await connect();
    await client.query("select 1");
    await expect(client.query("alter role nobody_knows password 'a-plain-secret'")).rejects.toThrow();
    await client.end();
    await server.stop();
    expect(await readFile(options.logFile, "utf8")).not.toContain("a-plain-secret");
  });
});

describe("the log of a server", () => {
  it("shows control characters in the names of refused connections as other characters", async () => {
    const server = await PostgresServer.start(options);
    const names = ["\u001b]0;title\u0007", "a\nFATAL:  forged", "c1\u009b31m", "bidi\u202e", "line\rfeed"];
    for (const user of names) {
      const client = new Client({
        host: "127.0.0.1",
        port: options.port,
        user,
        password: "x",
        database: "x",
      });
      await expect(client.connect()).rejects.toMatchObject({ code: "28P01" });
    }
    await server.stop();
    const log = await readFile(options.logFile, "latin1");
    expect(log).toMatch(/^[\t\n\x20-\x7e]*$/);
    expect(log).toContain('password authentication failed for user "^[]0;title^G"');
    expect(log).not.toMatch(/^FATAL: {2}forged/m);
    expect(log).toContain("line^Mfeed");
  });

  it("has no statement of a process that was killed", async () => {
    const server = await PostgresServer.start(options);
    const client = await connect();
    const { rows } = await client.query<{ pid: number }>("select pg_backend_pid() as pid");
    const pid = rows[0]?.pid ?? 0;
    const ended = expect(client.query("select pg_sleep(600), 'a-secret-in-a-statement'")).rejects.toThrow();
    const other = await connect();
    const sleeping = "select from pg_stat_activity where pid = $1 and wait_event = 'PgSleep'";
    while ((await other.query(sleeping, [pid])).rowCount === 0);
    process.kill(pid, "SIGKILL");
    await ended;
    // Postgres ends all sessions and recovers.
    const again = await vi.waitFor(connect);
    await again.end();
    await server.stop();
    const log = await readFile(options.logFile, "utf8");
    expect(log).toContain("was terminated by signal 9");
    expect(log).not.toContain("a-secret-in-a-statement");
  });

  it("is complete after a stop", async () => {
    const server = await PostgresServer.start(options);
    await server.stop();
    expect(await readFile(options.logFile, "utf8")).toMatch(/database system is shut down\n$/);
  });
});

describe("a new cluster", () => {
  it("is refused in a directory that exists", async () => {
    await expect(createCluster(options.directory, options.binaries, options.account)).rejects.toThrow(
      /EEXIST/,
    );
    expect(await readdir(options.directory)).toContain("PG_VERSION");
  });

  it("reports the messages of initdb when it cannot be created", async () => {
    const broken = { ...options.binaries, directory: join(directory, "no-programs") };
    await expect(createCluster(join(directory, "another"), broken, options.account)).rejects.toThrow();
  });

  /** What a UTF-8 locale knows of letters, and the C locale does not. */
  const letters = `lower('ÀÉÎÖ') = 'àéîö' and 'Émile' ilike 'émile' and 'Привет' ~* 'привет' and 'é' ~ '[[:alpha:]]'
    and initcap('élan vital') = 'Élan Vital' and to_tsvector('simple', 'ÉTÉ') @@ to_tsquery('simple', 'été')`;
  /** Text is in the order of its characters. */
  const order = "'Z' < 'a' and 'z' < 'é'";

  /** Evaluates a condition in a new cluster. */
  const holds = async (name: string, binaries: Binaries, condition: string): Promise<boolean> => {
    const { account } = options;
    const path = join(directory, name);
    await createCluster(path, binaries, account);
    const where = getDataDirectoryParameter(path, binaries, account);
    const { stdout } = await runProgram(
      join(binaries.directory, "postgres"),
      ["--single", "-j", "-D", where, "postgres"],
      { account, cwd: path, input: `select ${condition} as result;\n\n` },
    );
    return stdout.includes('result = "t"');
  };

  const find = (choice: string): Promise<Binaries | undefined> =>
    findBinaries({ choice, path: "", account: options.account }).catch(() => undefined);

  it.each(["package", "system"])(
    "knows letters of all languages with the Postgres of the %s",
    async (choice) => {
      const binaries = await find(choice);
      if (binaries !== undefined) expect(await holds(choice, binaries, `${letters} and ${order}`)).toBe(true);
    },
  );

  it("is created on a system without a locale of that kind", async ({ skip }) => {
    const binaries = await find("system");
    if (binaries === undefined || binaries.major >= 17)
      return skip("This Postgres needs no locale of the system");
    const limited = join(directory, "limited");
    await mkdir(limited);
    for (const name of await readdir(binaries.directory))
      if (name !== "initdb") await symlink(join(binaries.directory, name), join(limited, name));
    const script = `#!/bin/sh
case "$*" in *UTF-8*) echo 'initdb: error: invalid locale name "C.UTF-8"' >&2; exit 1;; esac
exec '${binaries.directory}/initdb' "$@"
`;
    await writeFile(join(limited, "initdb"), script, { mode: 0o755 });
    const known = "lower('A') = 'a' and current_setting('lc_ctype') = 'C'";
    expect(await holds("without-locale", { ...binaries, directory: limited }, known)).toBe(true);
  });
});
