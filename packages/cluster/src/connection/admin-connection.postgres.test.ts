import { DatabaseUnavailableError } from "@mgmt/engine";
import { type Client, DatabaseError } from "pg";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { AdminConnection } from "./admin-connection.js";
import { TenantStatement } from "../policy/tenant-statement.js";
import { Cluster } from "../../../platform/test/cluster.js";
import { gone, makeAdmin, running, sessionsOf } from "../../test/sessions.js";

const statements = (...texts: string[]): TenantStatement[] => texts.map((text) => new TenantStatement(text));

const cluster = new Cluster();
/** Makes a database to which sessions can connect, and drops it after the test. */
const makeDatabase = async (name: string): Promise<Client> => {
  const observer = await cluster.connectAsAdmin("postgres");
  await observer.query(`create database "${name}" template template0`);
  onTestFinished(async () => {
    await observer.query(`drop database "${name}" with (force)`);
  });
  return observer;
};

const isAlive = (session: Client): Promise<boolean> =>
  session.query("select").then(
    () => true,
    () => false,
  );

describe("a long statement", () => {
  it("is canceled, and fails with the reason, when its signal is aborted", async () => {
    const observer = await cluster.connectAsAdmin("postgres");
    const admin = makeAdmin(cluster);
    const abort = new AbortController();
    const ended = expect(
      admin.runLongStatement("select pg_sleep(100), 'canceled'", abort.signal),
    ).rejects.toThrow("no longer wanted");
    const pids = await running(observer, "'canceled'");
    abort.abort(new Error("no longer wanted"));
    await ended;
    await gone(observer, pids);
  });

  it("does not start when its signal is already aborted", async () => {
    const admin = makeAdmin(cluster);
    const reason = new Error("no longer wanted");
    await expect(admin.runLongStatement("create database unwanted", AbortSignal.abort(reason))).rejects.toBe(
      reason,
    );
    expect(await cluster.namesIn("datname", "unwanted")).toEqual([]);
  });

  it("does not start when its signal is aborted while it waits for its turn", async () => {
    const observer = await cluster.connectAsAdmin("postgres");
    const admin = makeAdmin(cluster);
    await observer.query("select pg_advisory_lock(1)");
    const others = Array.from({ length: 4 }, () =>
      admin.runLongStatement("select pg_advisory_xact_lock_shared(1)"),
    );
    await running(observer, "_shared(1)", 4);
    const abort = new AbortController();
    const ended = expect(admin.runLongStatement("create database unwanted", abort.signal)).rejects.toThrow(
      "too late",
    );
    abort.abort(new Error("too late"));
    await observer.query("select pg_advisory_unlock(1)");
    await Promise.all([ended, ...others]);
    expect(await cluster.namesIn("datname", "unwanted")).toEqual([]);
  });

  it("ends its session when it completed in spite of being canceled, so that no other statement is canceled", async () => {
    const observer = await cluster.connectAsAdmin("postgres");
    const admin = makeAdmin(cluster);
    const abort = new AbortController();
    const stubborn =
      "do $$ begin perform pg_sleep(100), 'stubborn'; exception when query_canceled then null; end $$";
    const completed = admin.runLongStatement(stubborn, abort.signal);
    const pids = await running(observer, "'stubborn'");
    abort.abort();
    await completed;
    await gone(observer, pids);
  });

  it("keeps its session for the next one when it succeeds, and not when it fails", async () => {
    const observer = await cluster.connectAsAdmin("postgres");
    const admin = makeAdmin(cluster);
    const { signal } = new AbortController();
    await admin.runLongStatement("select 'first'", signal);
    const [first] = await sessionsOf(observer, "'first'", "idle");
    await admin.runLongStatement("select 'second'");
    expect(await sessionsOf(observer, "'second'", "idle")).toEqual([first]);
    await expect(admin.runLongStatement("select 1 / 0")).rejects.toThrow(DatabaseError);
    await gone(observer, [first ?? 0]);
  });

  it("fails with what Postgres says, without a signal too", async () => {
    const admin = makeAdmin(cluster);
    await expect(admin.runLongStatement("drop database missing")).rejects.toMatchObject({ code: "3D000" });
  });

  it("has no limit of time, and other statements have one", async () => {
    const admin = makeAdmin(cluster);
    const check = "do $$ begin assert current_setting('statement_timeout') = '0'; end $$";
    await admin.runLongStatement(check);
    await admin.runLongStatement("do $$ begin assert current_setting('search_path') = 'pg_catalog'; end $$");
    await expect(admin.runScript([check])).rejects.toMatchObject({ code: "P0004" });
  });

  it("waits for its turn behind four others however long they take, while short statements run", async () => {
    const observer = await cluster.connectAsAdmin("postgres");
    const admin = makeAdmin(cluster);
    const all = async (): Promise<void> => {
      await observer.query("select pg_advisory_lock(1)");
      const statements = Array.from({ length: 6 }, () =>
        admin.runLongStatement("select pg_advisory_xact_lock_shared(1)"),
      );
      await running(observer, "_shared(1)", 4);
      // The time after which the pool gives up waiting for a connection.
      vi.advanceTimersByTime(120_000);
      expect(await admin.query("select 1 as one")).toEqual([{ one: 1 }]);
      expect(await sessionsOf(observer, "_shared(1)")).toHaveLength(4);
      await observer.query("select pg_advisory_unlock(1)");
      await Promise.all(statements);
    };
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    await all();
    // All turns were given back.
    await all();
  });
});

describe("statements in another database", () => {
  it.each([
    ["four sessions at the same time where no tenant can connect", "making.within", 4],
    ["two sessions at the same time where tenants can make them take long", "within", 2],
  ])("run in up to %s", async (_, name, limit) => {
    const observer = await makeDatabase(name);
    const admin = makeAdmin(cluster);
    const within = await cluster.connectAsAdmin(name);
    await within.query("select pg_advisory_lock(1)");
    const scripts = Array.from({ length: 6 }, () =>
      admin.runScriptIn(
        name,
        statements("set local lock_timeout = 0", "select pg_advisory_xact_lock_shared(1)"),
      ),
    );
    await running(observer, "_shared(1)", limit);
    // Gives the others the time that a connection takes.
    await cluster.connectAsAdmin(name);
    expect(await sessionsOf(observer, "_shared(1)")).toHaveLength(limit);
    await within.query("select pg_advisory_unlock(1)");
    await Promise.all(scripts);
  });

  it("run while one of them takes long, whichever turn it had", async () => {
    const observer = await makeDatabase("stalled");
    const admin = makeAdmin(cluster);
    const within = await cluster.connectAsAdmin("stalled");
    await within.query("select pg_advisory_lock(1)");
    const slow = admin.runScriptIn(
      "stalled",
      statements("set local lock_timeout = 0", "select pg_advisory_xact_lock_shared(1)"),
    );
    await running(observer, "_shared(1)");
    for (let count = 0; count < 8; count += 1) await admin.runScriptIn("stalled", statements("select"));
    await within.query("select pg_advisory_unlock(1)");
    await slow;
    await within.end();
  });

  it("run with the platform's settings, not with those of the tenant", async () => {
    const observer = await makeDatabase("tampered");
    const settings = {
      search_path: "evil",
      role: "pg_monitor",
      default_transaction_read_only: "on",
      statement_timeout: "1",
      lock_timeout: "1",
      ...(cluster.policy.major >= 17 ? { transaction_timeout: "1" } : {}),
      row_security: "on",
      local_preload_libraries: "missing",
      default_transaction_isolation: "serializable",
    };
    for (const [name, value] of Object.entries(settings))
      await observer.query(`alter database tampered set ${name} = '${value}'`);
    const admin = makeAdmin(cluster);
    await admin.runScriptIn(
      "tampered",
      statements(
        "create table pg_temp.written ()",
        "do $$ begin assert current_setting('search_path') = 'pg_catalog'; end $$",
        "do $$ begin assert current_user = session_user; end $$",
        "do $$ begin assert current_setting('lock_timeout') = '400ms'; end $$",
        "do $$ begin assert current_setting('row_security') = 'off'; end $$",
        "do $$ begin assert current_setting('transaction_isolation') = 'read committed'; end $$",
      ),
    );
  });

  it("take effect together or not at all", async () => {
    await makeDatabase("whole");
    const admin = makeAdmin(cluster);
    const failing = statements("create table public.first ()", "select 1 / 0");
    await expect(admin.runScriptIn("whole", failing)).rejects.toThrow(DatabaseError);
    const within = await cluster.connectAsAdmin("whole");
    const { rowCount } = await within.query("select from pg_tables where tablename = 'first'");
    expect(rowCount).toBe(0);
  });

  it("leave no session, also when Postgres refuses them or the database does not exist", async () => {
    const observer = await makeDatabase("visited");
    const admin = makeAdmin(cluster);
    await admin.runScriptIn("visited", statements("select"));
    await expect(admin.runScriptIn("visited", statements("select 1 / 0"))).rejects.toThrow(DatabaseError);
    await expect(admin.runScriptIn("missing", statements("select"))).rejects.toMatchObject({
      code: "3D000",
    });
    await vi.waitFor(async () => {
      const { rowCount } = await observer.query("select from pg_stat_activity where datname = 'visited'");
      expect(rowCount).toBe(0);
    });
  });
});

describe("work that needs a database without sessions", () => {
  /** Fails like RENAME and DROP when there are sessions, but without the five seconds that these wait before. */
  const requireUnused = (admin: AdminConnection, database: string) => () =>
    admin.runScript([
      `do $$ begin
        if exists (select from pg_stat_activity where datname = '${database}') then raise sqlstate '55006'; end if;
      end $$`,
    ]);

  it("ends the sessions of others first when they must not see it", async () => {
    await makeDatabase("used");
    const session = await cluster.connectAsAdmin("used");
    const admin = makeAdmin(cluster);
    await admin.runWhenUnused("used", () => Promise.resolve());
    expect(await isAlive(session)).toBe(false);
  });

  it("fails at once when Postgres refuses it for another reason", async () => {
    const admin = makeAdmin(cluster);
    const work = vi.fn(() => admin.runScript(["alter database missing rename to renamed"]));
    await expect(admin.runWhenUnused("missing", work)).rejects.toMatchObject({ code: "3D000" });
    expect(work).toHaveBeenCalledTimes(1);
  });

  it("gives up for now when sessions connect again and again", async () => {
    await makeDatabase("used");
    const admin = makeAdmin(cluster);
    const work = vi.fn(async () => {
      await cluster.connectAsAdmin("used");
      await requireUnused(admin, "used")();
    });
    await expect(admin.runWhenUnused("used", work)).rejects.toBeInstanceOf(DatabaseUnavailableError);
    expect(work).toHaveBeenCalledTimes(5);
  });
});

describe("ending sessions", () => {
  /** Opens a session that cannot end before it is continued, at the latest after the test. */
  const openStopped = async (): Promise<{ pid: number; proceed: () => void }> => {
    const session = await cluster.connectAsAdmin("postgres");
    const { rows } = await session.query<{ pid: number }>("select pg_backend_pid() as pid");
    const pid = rows[0]?.pid ?? 0;
    process.kill(pid, "SIGSTOP");
    let isStopped = true;
    const proceed = (): void => {
      if (isStopped) process.kill(pid, "SIGCONT");
      isStopped = false;
    };
    onTestFinished(proceed);
    return { pid, proceed };
  };

  it("waits until they are gone, and returns that there were any", async () => {
    const { pid, proceed } = await openStopped();
    const admin = makeAdmin(cluster);
    const events: unknown[] = [];
    const ended = admin.terminateSessions("pid = $1", String(pid)).then((isFound) => events.push(isFound));
    for (let count = 0; count < 3; count += 1) await admin.query("select");
    events.push("continued");
    proceed();
    await ended;
    expect(events).toEqual(["continued", true]);
    expect(await admin.query("select from pg_stat_activity where pid = $1", [pid])).toEqual([]);
  });

  it("returns that there were none", async () => {
    expect(await makeAdmin(cluster).terminateSessions("pid = $1", "0")).toBe(false);
  });

  it("gives up for now when one ignores it, and hands it over", async () => {
    const { id, credential } = await cluster.makeTenant();
    const session = await cluster.connect(id, credential);
    const endless = session.query("do $$ begin loop end loop; end $$").catch(() => undefined);
    const [pid = 0] = await running(await cluster.connectAsAdmin("postgres"), "loop end loop");
    process.kill(pid, "SIGSTOP");
    const admin = makeAdmin(cluster);
    admin.onUnresponsive = vi.fn();
    vi.useFakeTimers({ toFake: ["performance"] });
    onTestFinished(() => void vi.useRealTimers());
    const ended = expect(admin.terminateSessions("usename = $1", credential.user)).rejects.toMatchObject({
      reason: "a session of the database does not end",
    });
    vi.advanceTimersByTime(6_000);
    await ended;
    expect(admin.onUnresponsive).toHaveBeenCalledWith({ database: id, pids: [pid] });
    process.kill(pid, "SIGCONT");
    await endless;
  });

  it("gives up for now when they do not end in time", async () => {
    const { pid } = await openStopped();
    const admin = makeAdmin(cluster);
    vi.useFakeTimers({ toFake: ["performance"] });
    onTestFinished(() => void vi.useRealTimers());
    const ended = expect(admin.terminateSessions("pid = $1", String(pid))).rejects.toBeInstanceOf(
      DatabaseUnavailableError,
    );
    vi.advanceTimersByTime(60_000);
    await ended;
  });
});
