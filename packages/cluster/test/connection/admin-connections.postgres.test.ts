import { DatabaseUnavailableError } from "@mgmt/engine";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { AdminConnection } from "../../src/connection/admin-connection.js";
import { TenantStatement } from "../../src/policy/tenant-statement.js";
import { createDedicatedCluster } from "../../src/policy/dedicated-cluster.js";
import { readProcessTitles } from "../../../platform/src/machine/postgres/process-titles.js";
import { Cluster, adminPassword, ownClusterAt } from "../../../platform/test/cluster.js";
import { gone, makeAdmin, running, sessionsOf } from "../sessions.js";

const cluster = new Cluster();

/** Returns a list that is filled with the exceptions that would end the process. */
const collectUncaught = (): unknown[] => {
  const uncaught: unknown[] = [];
  const note = (error: unknown): void => void uncaught.push(error);
  process.on("uncaughtException", note);
  onTestFinished(() => void process.off("uncaughtException", note));
  return uncaught;
};

describe("the connections of the platform", () => {
  it("do not depend on the environment variables of libpq", async () => {
    const variables = { PGHOST: "/missing", PGDATABASE: "missing", PGUSER: "nobody", PGPASSWORD: "wrong" };
    for (const [name, value] of Object.entries({ ...variables, PGSSLMODE: "require", PGAPPNAME: "other" }))
      vi.stubEnv(name, value);
    onTestFinished(() => void vi.unstubAllEnvs());
    const admin = makeAdmin(cluster);
    const rows = await admin.query(
      `select current_database() as database, application_name as application, client_addr::text as address
        from pg_stat_activity where pid = pg_backend_pid()`,
    );
    expect(rows).toEqual([{ database: "postgres", application: "mgmt", address: "127.0.0.1/32" }]);
  });

  it("ask for the password each time", async () => {
    const { address, major, installation } = cluster.policy;
    const passwords: string[] = ["outdated"];
    const password = (): Promise<string> => Promise.resolve(passwords.pop() ?? adminPassword);
    const admin = new AdminConnection(
      createDedicatedCluster({ ...address, password }, major, readProcessTitles, installation),
    );
    onTestFinished(() => admin.close());
    await expect(admin.query("select")).rejects.toMatchObject({ code: "28P01" });
    expect(await admin.query("select 1 as one")).toEqual([{ one: 1 }]);
  });

  it("are encrypted where the address says so", async () => {
    const { address, major, installation } = cluster.policy;
    const admin = new AdminConnection(
      createDedicatedCluster({ ...address, tls: {} }, major, readProcessTitles, installation),
    );
    onTestFinished(() => admin.close());
    await expect(admin.query("select")).rejects.toMatchObject({
      cause: { message: "The server does not support SSL connections" },
    });
  });

  it("set a limit for transactions only where Postgres knows it", async ({ skip }) => {
    if (cluster.policy.major < 17) skip("this version knows none, and would refuse the connections");
    const observer = await cluster.connectAsAdmin("postgres");
    await observer.query("alter database postgres set transaction_timeout = '5s'");
    onTestFinished(async () => {
      await observer.query("alter database postgres reset transaction_timeout");
    });
    const limitIn = async (major: number) =>
      (
        await makeAdmin(cluster, ownClusterAt(cluster.server.port, { major })).query<{ limit: string }>(
          "select current_setting('transaction_timeout') as limit",
        )
      )[0]?.limit;
    expect(await limitIn(16)).toBe("5s");
    expect(await limitIn(17)).toBe("0");
    expect(await limitIn(18)).toBe("0");
  });

  it("are opened again after Postgres has ended them, and the process goes on", async () => {
    const uncaught = collectUncaught();
    const observer = await cluster.connectAsAdmin("postgres");
    const admin = makeAdmin(cluster);
    const end = (pids: readonly number[]) =>
      observer.query("select pg_terminate_backend(pid) from unnest($1::int[]) as pid", [pids]);

    await admin.query("select 'idle'");
    await admin.runLongStatement("select 'idle'");
    const idle = await sessionsOf(observer, "'idle'", "idle");
    expect(idle).toHaveLength(2);
    await end(idle);
    await gone(observer, idle);

    const broken = expect(admin.runLongStatement("select pg_sleep(100), 'broken'")).rejects.toBeInstanceOf(
      DatabaseUnavailableError,
    );
    await end(await running(observer, "'broken'"));
    await broken;
    await vi.waitFor(async () => expect(await admin.query("select 1 as one")).toEqual([{ one: 1 }]));
    expect(uncaught).toEqual([]);
  });

  it("are opened again after their sessions were killed, and the process goes on", async () => {
    const uncaught = collectUncaught();
    const admin = makeAdmin(cluster);
    const observer = await cluster.connectAsAdmin("postgres");
    const statement = "select pg_sleep(100), 'killed'";
    const lost = [
      admin.runLongStatement(statement),
      admin.query(statement),
      admin.runScriptIn("postgres", [new TenantStatement(statement)]),
    ].map((work) => expect(work).rejects.toBeInstanceOf(DatabaseUnavailableError));
    const [killed] = await running(observer, "'killed'", 3);
    // Postgres ends the others then.
    if (killed !== undefined) process.kill(killed, "SIGKILL");
    await Promise.all(lost);
    await vi.waitFor(async () => expect(await admin.query("select 1 as one")).toEqual([{ one: 1 }]));
    expect(uncaught).toEqual([]);
  });

  it("are all closed when the platform stops", async () => {
    const observer = await cluster.connectAsAdmin("postgres");
    const admin = new AdminConnection(cluster.policy);
    await Promise.all([admin.query("select 'closing'"), admin.runLongStatement("select 'closing'")]);
    const pids = await sessionsOf(observer, "'closing'", "idle");
    expect(pids).toHaveLength(2);
    await admin.close();
    await gone(observer, pids);
  });
});
