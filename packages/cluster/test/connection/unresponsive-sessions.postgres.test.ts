import { DatabaseUnavailableError } from "@mgmt/engine";
import { beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { openDatabases } from "../../src/open-databases.js";
import { toClientConfig } from "../../src/policy/address.js";
import { PostgresSessions } from "../../src/rows/postgres-sessions.js";
import { Cluster, secondCredential } from "../../../platform/test/cluster.js";
import { installation, replaced } from "../../../platform/test/installation.js";
import { running } from "../sessions.js";

// Sessions that do not react to signals, in a cluster that others also use, in which the platform cannot kill processes.

const log: string[] = [];
const cluster = new Cluster({ onLog: (line) => log.push(line) }, { user: "renter" });

type Tenant = Awaited<ReturnType<Cluster["makeTenant"]>>;

/** Starts a statement that does not end before `proceed`, whatever Postgres tells its session. */
const startUnresponsive = async ({ id, credential }: Tenant) => {
  const session = await cluster.connect(id, credential);
  const endless = session.query("do $$ begin loop end loop; end $$").catch(() => undefined);
  const observer = await cluster.connectAsAdmin("postgres");
  const [pid = 0] = await running(observer, "loop end loop");
  process.kill(pid, "SIGSTOP");
  let isStopped = true;
  const proceed = async (): Promise<void> => {
    if (isStopped) process.kill(pid, "SIGCONT");
    isStopped = false;
    await endless;
  };
  onTestFinished(proceed);
  return { pid, proceed };
};

/** From now on, the time that the platform measures passes fast. */
const hurry = (): void => {
  vi.useFakeTimers({ toFake: ["performance"] });
  const timer = setInterval(() => vi.advanceTimersByTime(500), 5);
  onTestFinished(() => {
    clearInterval(timer);
    vi.useRealTimers();
  });
};

describe("a session that ignores its end", () => {
  it("does not keep a new password from taking effect, and its database is closed until it has ended", async () => {
    const tenant = await cluster.makeTenant();
    const neighbor = await cluster.makeTenant();
    const { pid, proceed } = await startUnresponsive(tenant);
    const fresh = { ...tenant.credential, pass: "fresh" };
    hurry();
    await cluster.databases.grant(tenant.id, fresh);
    await vi.waitFor(
      () => expect(log).toContainEqual(expect.stringContaining(`Kill their processes: ${String(pid)}`)),
      5_000,
    );
    await vi.waitFor(() =>
      expect(cluster.connect(tenant.id, fresh)).rejects.toMatchObject({ code: "55000" }),
    );
    expect(cluster.databases.getTerminationReason(tenant.id)?.message).toContain("cannot be interrupted");
    await cluster.databases.grant(neighbor.id, { ...neighbor.credential, pass: "fresh" });
    await cluster.databases.drop(neighbor.id);

    await proceed();
    await vi.waitFor(() => cluster.connect(tenant.id, fresh), 10_000);
    await expect(cluster.connect(tenant.id, tenant.credential)).rejects.toMatchObject({ code: "28P01" });
    expect(cluster.databases.getTerminationReason(tenant.id)).toBeUndefined();
  });

  it("does not keep its login from being removed", async () => {
    const { id, credential } = await cluster.makeTenant();
    const second = secondCredential(credential);
    await cluster.databases.grant(id, second);
    const { proceed } = await startUnresponsive({ id, credential: second });
    hurry();
    await cluster.databases.revoke(id, second.connectionId);
    const observer = await cluster.connectAsAdmin("postgres");
    const { rows } = await observer.query(
      `select rolcanlogin as login, shobj_description(oid, 'pg_authid') as mark,
        (select count(*) from pg_auth_members where member = r.oid) as groups from pg_roles r where rolname = $1`,
      [second.user],
    );
    expect(rows).toEqual([{ login: false, mark: installation.retiredRoleComment, groups: "0" }]);

    await proceed();
    await vi.waitFor(() => cluster.connect(id, credential), 10_000);
    await cluster.databases.drop((await cluster.makeTenant()).id);
    expect(await cluster.namesIn("rolname", second.user)).toEqual([]);
  });

  it("makes the deletion of its database, and of no other, wait", async () => {
    const [tenant, neighbor] = [await cluster.makeTenant(), await cluster.makeTenant()];
    const { proceed } = await startUnresponsive(tenant);
    hurry();
    await expect(cluster.databases.drop(tenant.id)).rejects.toMatchObject({
      reason: "a session of the database does not end",
    });
    await cluster.databases.drop(neighbor.id);
    await proceed();
    await cluster.databases.drop(tenant.id);
    expect(await cluster.namesIn("datname", tenant.id)).toEqual([]);
  });

  it("makes the next restore of another database wait, whose former content cannot be dropped yet", async ({
    skip,
  }) => {
    if (cluster.policy.major < 15)
      skip("this version does not wait for other sessions before it removes files");
    const [tenant, { id, credential }] = [await cluster.makeTenant(), await cluster.makeTenant()];
    await cluster.databases.backup(id, "bkp_restored");
    const { pid, proceed } = await startUnresponsive(tenant);
    await (await cluster.connectAsAdmin("postgres")).query("select pg_terminate_backend($1)", [pid]);
    await cluster.databases.restore(id, "bkp_restored");
    expect(await cluster.namesIn("datname", replaced(id))).toEqual([replaced(id)]);
    await expect(cluster.databases.restore(id, "bkp_restored")).rejects.toBeInstanceOf(
      DatabaseUnavailableError,
    );
    await proceed();
    await cluster.databases.restore(id, "bkp_restored");
    await cluster.connect(id, credential);
    expect(await cluster.namesIn("datname", replaced(id))).toEqual([]);
  });
});

describe("a session that ignores its end when a process starts", () => {
  const tenants: Tenant[] = [];

  beforeAll(async () => {
    while (tenants.length < 3) tenants.push(await cluster.makeTenant());
    await cluster.closeDatabases();
  });

  it.each(["alone", "beside others"])(
    "does not keep the process from starting %s, and its database is closed until it has ended",
    async (start) => {
      const [neighbor, ...others] = tenants;
      const tenant = others[start === "alone" ? 0 : 1];
      if (neighbor === undefined || tenant === undefined) throw new Error("There are no tenants");
      const { pid, proceed } = await startUnresponsive(tenant);
      // The process before has ended during a rotation.
      const previous = tenant.credential;
      tenant.credential = { ...previous, pass: "fresh" };
      const recorded = tenants.map(({ id, credential }) => ({
        ...{ databaseId: id, credentials: [credential], backupIds: [], runningBackupIds: [] },
      }));
      const config = { ...toClientConfig(cluster.policy.address, "process"), database: "records" };
      const sessions = new PostgresSessions(config, installation);
      onTestFinished(() => sessions.close());
      hurry();
      const databases = await openDatabases(cluster.policy, recorded, {
        ...cluster.discardingAll,
        onLog: (line) => log.push(line),
        ...(start !== "alone" && { others: { sessions, listServerIds: () => Promise.resolve([]) } }),
      });
      onTestFinished(() => databases.close());
      expect(databases.brokenIds).toEqual([]);
      await vi.waitFor(
        () => expect(log).toContainEqual(expect.stringContaining(`Kill their processes: ${String(pid)}`)),
        10_000,
      );
      await cluster.connect(neighbor.id, neighbor.credential);
      await expect(cluster.connect(tenant.id, tenant.credential)).rejects.toMatchObject({ code: "55000" });
      await proceed();
      await vi.waitFor(() => cluster.connect(tenant.id, tenant.credential), 10_000);
      await expect(cluster.connect(tenant.id, previous)).rejects.toMatchObject({ code: "28P01" });
    },
  );
});
