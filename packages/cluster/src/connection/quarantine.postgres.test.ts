import { expect, it, onTestFinished, vi } from "vitest";
import { Cluster } from "../../../platform/test/cluster.js";
import { running } from "../../test/sessions.js";
import { DatabaseCopier } from "../databases/database-copier.js";
import { AdminConnection } from "./admin-connection.js";
import { TerminationReasons } from "./termination-reasons.js";
import { Quarantine } from "./quarantine.js";

const cluster = new Cluster();

/** Makes a quarantine whose kills do nothing. From now on, the time that the platform measures passes only when the test says so. */
const makeQuarantine = () => {
  const killProcesses = vi.fn();
  const admin = new AdminConnection({ ...cluster.policy, killProcesses });
  const terminationReasons = new TerminationReasons();
  const quarantine = new Quarantine(admin, terminationReasons);
  vi.useFakeTimers({ toFake: ["performance"] });
  onTestFinished(async () => {
    vi.useRealTimers();
    await quarantine.close();
    await admin.close();
  });
  return { admin, terminationReasons, killProcesses, quarantine };
};

/** Starts a session that ignores its end until `proceed`. */
const startUnresponsive = async ({ id, credential }: Awaited<ReturnType<Cluster["makeTenant"]>>) => {
  const session = await cluster.connect(id, credential);
  const endless = session.query("do $$ begin loop end loop; end $$").catch(() => undefined);
  const [pid = 0] = await running(await cluster.connectAsAdmin("postgres"), "loop end loop");
  process.kill(pid, "SIGSTOP");
  const proceed = async (): Promise<void> => {
    process.kill(pid, "SIGCONT");
    await endless;
  };
  return { pid, proceed };
};

/** Ends work with a session that ignores its end, after the time that it has. */
const failAfter = async (work: Promise<unknown>, expectedError: object): Promise<void> => {
  const failed = expect(work).rejects.toMatchObject(expectedError);
  vi.advanceTimersByTime(6_000);
  await failed;
};

const isOpen = async (name: string): Promise<boolean | undefined> => {
  const observer = await cluster.connectAsAdmin("postgres");
  const { rows } = await observer.query<{ open: boolean }>(
    "select datallowconn as open from pg_database where datname = $1",
    [name],
  );
  await observer.end();
  return rows[0]?.open;
};

it("keeps a database closed for longer after each kill", async () => {
  const tenant = await cluster.makeTenant();
  const { admin, terminationReasons, killProcesses, quarantine } = makeQuarantine();
  for (const minutes of [1, 2]) {
    const { pid, proceed } = await startUnresponsive(tenant);
    await failAfter(admin.terminateSessions("usename = $1", tenant.credential.user), {
      reason: "a session of the database does not end",
    });
    await vi.waitFor(() => expect(killProcesses).toHaveBeenCalledWith([pid]), 5_000);
    await proceed();
    vi.advanceTimersByTime(minutes * 60_000 - 15_000);
    const query = vi.spyOn(admin, "query").mockClear();
    // Two looks find no sessions.
    await vi.waitFor(() => expect(query.mock.calls.length).toBeGreaterThan(4), 5_000);
    expect(quarantine.has(tenant.id)).toBe(true);
    expect(terminationReasons.get(tenant.id)?.hint).toContain(`after ${String(minutes)} minutes`);
    expect(await isOpen(tenant.id)).toBe(false);
    vi.advanceTimersByTime(15_000);
    await vi.waitFor(() => expect(quarantine.has(tenant.id)).toBe(false), 5_000);
    const observer = await cluster.connectAsAdmin("postgres");
    await observer.query(`alter database ${tenant.id} allow_connections true`);
  }
}, 30_000);

it("does not get sessions that keep a database from being copied, which fails", async () => {
  const tenant = await cluster.makeTenant();
  const { admin, quarantine } = makeQuarantine();
  const { proceed } = await startUnresponsive(tenant);
  const copier = new DatabaseCopier(admin);
  const ending = vi.spyOn(admin, "terminateSessions");
  const copied = copier.copy(tenant.id, "making.copy");
  copied.catch(() => undefined);
  await vi.waitFor(() => expect(ending).toHaveBeenCalled());
  await failAfter(copied, { code: "cluster:session_unresponsive" });
  expect(quarantine.has(tenant.id)).toBe(false);
  expect(await isOpen(tenant.id)).toBe(true);
  await proceed();
});

it.each([
  ["leaves a database open that others have made", "others", "create database others template template0"],
  [
    "forgets an invalid database",
    "invalid",
    "update pg_database set datconnlimit = -2 where datname = 'invalid'",
  ],
])("%s when it has no sessions", async (_, name, statement) => {
  const observer = await cluster.connectAsAdmin("postgres");
  if (name === "invalid") await cluster.databases.create(name, { type: "empty" }, []);
  await observer.query(statement);
  const { admin, quarantine } = makeQuarantine();
  admin.onUnresponsive({ database: name, pids: [1] });
  expect(quarantine.has(name)).toBe(true);
  await vi.waitFor(() => expect(quarantine.has(name)).toBe(false), 5_000);
  expect(await isOpen(name)).toBe(true);
});
