import { type DatabaseCredential, DatabaseUnavailableError } from "@mgmt/engine";
import { Client } from "pg";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { RoleRemover } from "../databases/role-remover.js";
import { Logins } from "../logins/logins.js";
import { alterRole, terminateStartingSessions } from "./role-sessions.js";
import { Cluster, secondCredential } from "../../../platform/test/cluster.js";
import { observeAdmin } from "../../test/observed-admin.js";
import { makeAdmin, running } from "../../test/sessions.js";

const cluster = new Cluster();

interface PendingLogin {
  /** Sends the password. */
  proceed(): void;
  /** The session, when it has started. */
  client: Promise<Client>;
  /** "connected", or the code of the error. */
  outcome: Promise<string>;
}

/** Begins a login, and waits until Postgres waits for the password. */
const beginLogin = async (id: string, { user, pass }: DatabaseCredential): Promise<PendingLogin> => {
  let proceed = (): void => undefined;
  const proceeding = new Promise<void>((resolve) => (proceed = resolve));
  let reached = (): void => undefined;
  const isReached = new Promise<void>((resolve) => (reached = resolve));
  const password = async (): Promise<string> => {
    reached();
    await proceeding;
    return pass;
  };
  const { host, port, database } = cluster.databases.getEndpoints(id).direct;
  const client = new Client({ host, port, database, user, password, ssl: false });
  client.on("error", () => undefined);
  const connected = client.connect().then(() => client);
  onTestFinished(() => client.end().catch(() => undefined));
  const outcome = connected.then(
    () => "connected",
    (error: unknown) => (error instanceof Error && "code" in error ? String(error.code) : String(error)),
  );
  await isReached;
  return { proceed, outcome, client: connected };
};

/** From now on, time passes only when the test says so. */
const stopTime = (): void => {
  vi.useFakeTimers({ toFake: ["performance"] });
  onTestFinished(() => void vi.useRealTimers());
};

describe("a login that began before its password changed", () => {
  it("is refused, because it would be accepted with the old password", async () => {
    const { id, credential } = await cluster.makeTenant();
    const pending = await beginLogin(id, credential);
    await cluster.databases.grant(id, { ...credential, pass: "fresh" });
    pending.proceed();
    expect(await pending.outcome).not.toBe("connected");
    await cluster.connect(id, { ...credential, pass: "fresh" });
  });

  it("is ended at once, although its client might still finish it", async () => {
    const { id, credential } = await cluster.makeTenant();
    const pending = await beginLogin(id, credential);
    const admin = makeAdmin(cluster);
    stopTime();
    const query = vi.spyOn(admin, "query");
    await terminateStartingSessions(admin, [credential.user]);
    // Postgres itself would end it after 30 seconds.
    expect(query.mock.calls.length).toBeLessThan(200);
    expect(await pending.outcome).not.toBe("connected");
  });

  it("is not waited for when it is one of another role, and goes on", async () => {
    const { id, credential } = await cluster.makeTenant();
    const second = secondCredential(credential);
    await cluster.databases.grant(id, second);
    const other = await beginLogin(id, second);
    stopTime();
    await cluster.databases.grant(id, { ...credential, pass: "fresh" });
    other.proceed();
    expect(await other.outcome).toBe("connected");
  });
});

describe("a login that began before a change, where processes have no titles", () => {
  /** Begins a login. From then on, time passes only when the test says so. */
  const beginUntitled = async (before: () => Promise<void> = () => Promise.resolve()) => {
    const { id, credential } = await cluster.makeTenant();
    const pending = await beginLogin(id, credential);
    const policy = { ...cluster.policy, readProcessTitles: () => Promise.resolve(new Map<number, string>()) };
    const admin = observeAdmin(cluster, before, policy);
    stopTime();
    return { pending, admin, id, credential };
  };

  /** Changes the password while a login with the previous one goes on. */
  const rotateDuringLogin = async (before?: () => Promise<void>) => {
    const { pending, admin, id, credential } = await beginUntitled(before);
    const logins = new Logins(admin, new RoleRemover(admin));
    onTestFinished(() => logins.close());
    const fresh = { ...credential, pass: "fresh" };
    const query = vi.spyOn(admin, "query");
    const granted = logins.grant(id, fresh);
    await vi.waitFor(() => {
      const looks = query.mock.calls.filter(([text]) => text.includes("virtualxid"));
      expect(looks.length).toBeGreaterThan(2);
    });
    vi.advanceTimersByTime(1_000);
    await granted;
    return { pending, admin, logins, id, credential, fresh };
  };

  it("goes on when its client does not finish it in time, and is returned", async () => {
    const { pending, admin, id, credential } = await beginUntitled();
    const second = await beginLogin(id, credential);
    const session = await cluster.connect(id, credential);
    const pids = await terminateStartingSessions(admin, ["another_role"], 0);
    // Others may be starting, too.
    expect(pids.length).toBeGreaterThanOrEqual(2);
    for (const { proceed, outcome } of [pending, second]) {
      proceed();
      expect(await outcome).toBe("connected");
    }
    await session.query("select");
  });

  it("is waited for while its client may still finish it, and for no longer than a second", async () => {
    const { pending, admin } = await beginUntitled();
    const query = vi.spyOn(admin, "query");
    const waiting = terminateStartingSessions(admin, ["another_role"]);
    await vi.waitFor(() => expect(query.mock.calls.length).toBeGreaterThan(2));
    vi.advanceTimersByTime(1_000);
    expect(await waiting).not.toEqual([]);
    pending.proceed();
    expect(await pending.outcome).toBe("connected");
  });

  it("ends with the previous password soon after it has started, and the new password stays", async () => {
    const { pending, id, credential, fresh } = await rotateDuringLogin();
    pending.proceed();
    // It may be ended before it is complete, or before it can change the password back.
    const late = await pending.client.catch(() => undefined);
    await late
      ?.query(`set role none; alter role ${credential.user} password '${credential.pass}'`)
      .catch(() => undefined);
    await vi.waitFor(() =>
      expect(late?.query("select") ?? Promise.reject(new Error("ended"))).rejects.toThrow(),
    );
    await vi.waitFor(() => cluster.connect(id, fresh));
    await expect(cluster.connect(id, credential)).rejects.toMatchObject({ code: "28P01" });
  });

  it("cannot change the password back by ending at once", async () => {
    const { pending, id, credential, fresh } = await rotateDuringLogin();
    pending.proceed();
    const late = await pending.client.catch(() => undefined);
    await late
      ?.query(`set role none; alter role ${credential.user} password '${credential.pass}'`)
      .catch(() => undefined);
    await late?.end();
    await vi.waitFor(() => cluster.connect(id, fresh));
    await expect(cluster.connect(id, credential)).rejects.toMatchObject({ code: "28P01" });
  });

  it("ends, while the new password lets clients in at every moment", async () => {
    let connect: (() => Promise<unknown>) | undefined;
    const outcomes: unknown[] = [];
    const { pending, logins, id, fresh } = await rotateDuringLogin(async () => {
      if (connect !== undefined) outcomes.push(await connect());
    });
    connect = () => cluster.connect(id, fresh).catch((error: unknown) => error);
    const session = await cluster.connect(id, fresh);
    pending.proceed();
    const late = await pending.client.catch(() => undefined);
    await vi.waitFor(() =>
      expect(late?.query("select") ?? Promise.reject(new Error("ended"))).rejects.toThrow(),
    );
    await logins.close();
    connect = undefined;
    expect(outcomes.length).toBeGreaterThan(0);
    expect(outcomes.filter((outcome) => !(outcome instanceof Client))).toEqual([]);
    await session.query("select");
  });

  it("ends, and a password that another process has set meanwhile stays", async () => {
    const { pending, admin, logins, id, fresh } = await rotateDuringLogin();
    const newest = { ...fresh, pass: "newest" };
    vi.useRealTimers();
    const otherLogins = new Logins(admin, new RoleRemover(admin));
    await otherLogins.grant(id, newest);
    // It has seen the late session, too.
    await otherLogins.close();
    const restored = new Promise<string>((resolve) => {
      logins.restoreLogins = async (owner) => {
        await logins.grant(owner, newest);
        resolve(owner);
      };
    });
    vi.spyOn(admin, "acceptsLogin").mockRejectedValueOnce(new DatabaseUnavailableError("too many clients"));
    pending.proceed();
    expect(await restored).toBe(id);
    await cluster.connect(id, newest);
  });
});

describe("a password", () => {
  it("is the new one even if the tenant sets the old one again and again meanwhile", async () => {
    const { id, credential } = await cluster.makeTenant();
    const restoring = [1, 2, 3].map(async () => {
      for (let session; (session = await cluster.connect(id, credential).catch(() => undefined));) {
        const restore = `set role none; alter role ${credential.user} password '${credential.pass}'`;
        for (let isOpen = true; isOpen;) isOpen = await session.query(restore).then(() => true, isConcurrent);
      }
    });
    await cluster.databases.grant(id, { ...credential, pass: "fresh" });
    await Promise.all(restoring);
    await cluster.connect(id, { ...credential, pass: "fresh" });
  });
});

describe("a change of a role", () => {
  /** A change during which Postgres fails on a condition as it does for a concurrent change. */
  const failingIf = (condition: string): string =>
    `nologin; do $$ begin if ${condition} then raise sqlstate 'XX000'; end if; end $$`;

  it("ends the sessions that change the role at the same time, and is made then", async () => {
    const { id, credential } = await cluster.makeTenant();
    const { user } = credential;
    const other = await cluster.makeTenant();
    const session = await cluster.connect(id, credential);
    const unrelated = await cluster.connect(other.id, other.credential);
    const isUsed = `exists (select from pg_stat_activity where usename = '${user}')`;
    await alterRole(makeAdmin(cluster), user, failingIf(isUsed));
    await expect(session.query("select")).rejects.toThrow();
    await unrelated.query("select");
    await expect(cluster.connect(id, credential)).rejects.toMatchObject({ code: "28000" });
  });

  it("is given up for now while a session that has changed the role ignores its end, and is made when it has ended", async () => {
    const { id, credential } = await cluster.makeTenant();
    const { user } = credential;
    const session = await cluster.connect(id, credential);
    await session.query(`set role none; begin; alter role ${user} password 'own'`);
    const failed = expect(session.query("do $$ begin loop end loop; end $$")).rejects.toThrow();
    const [pid = 0] = await running(await cluster.connectAsAdmin("postgres"), "loop end loop");
    process.kill(pid, "SIGSTOP");
    stopTime();
    const admin = observeAdmin(cluster, (statement) => {
      if (statement.includes("usename = $1")) vi.advanceTimersByTime(6_000);
      return statement.startsWith("alter role") ? "set local lock_timeout = '1ms'" : undefined;
    });
    await expect(alterRole(admin, user, "nologin")).rejects.toMatchObject({
      reason: "a session of the database does not end",
    });
    process.kill(pid, "SIGCONT");
    await failed;
    await alterRole(admin, user, "nologin");
    await expect(cluster.connect(id, credential)).rejects.toMatchObject({ code: "28000" });
  });

  it("is given up for now when a session of another role has changed the role", async () => {
    const { id, credential } = await cluster.makeTenant();
    const { user } = credential;
    const own = await cluster.connectAsAdmin("postgres");
    await own.query(`begin; alter role ${user} password 'other'`);
    const admin = observeAdmin(cluster, (statement) =>
      statement.startsWith("alter role") ? "set local lock_timeout = '1ms'" : undefined,
    );
    await expect(alterRole(admin, user, "nologin")).rejects.toBeInstanceOf(DatabaseUnavailableError);
    await own.query("rollback");
    await cluster.connect(id, credential);
  });

  it("is given up for now when it fails again and again", async () => {
    const { id, credential } = await cluster.makeTenant();
    const change = alterRole(makeAdmin(cluster), credential.user, failingIf("true"));
    await expect(change).rejects.toBeInstanceOf(DatabaseUnavailableError);
    await cluster.connect(id, credential);
  });

  it("fails with what Postgres says when Postgres refuses it for another reason than a concurrent change", async () => {
    const admin = makeAdmin(cluster);
    await expect(alterRole(admin, "missing", "nologin")).rejects.toMatchObject({ code: "42704" });
  });
});

/** Returns whether Postgres refused a change because another session made one at the same time. */
const isConcurrent = (error: unknown): boolean =>
  error instanceof Error && "code" in error && error.code === "XX000";
