import { DatabaseUnavailableError } from "@mgmt/engine";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { RoleRemover } from "../../src/databases/role-remover.js";
import { ClusterRepairer } from "../../src/repair/cluster-repairer.js";
import { Cluster, newTenant } from "../../../platform/test/cluster.js";
import { HoldPoint, openCopies, settled } from "../stepped-databases.js";
import { installation, platformRole, staging, replaced } from "../../../platform/test/installation.js";

const cluster = new Cluster();

type InTurn = ConstructorParameters<typeof ClusterRepairer>[3]["withLock"];

/** Prepares repairs of the cluster of this file, with `inTurn` in place of the locks of its databases. */
const makeRepairer = async (
  inTurn: InTurn = (_, work) => work(),
  {
    isClusterShared = false,
    mustStayClosed = () => false,
  }: { isClusterShared?: boolean; mustStayClosed?: (name: string) => boolean } = {},
) => {
  const { admin, copies } = await openCopies(cluster);
  const problems: string[] = [];
  const repairer = new ClusterRepairer(admin, copies, new RoleRemover(admin), {
    withLock: inTurn,
    mustStayClosed,
    isClusterShared,
    report: (problem) => void problems.push(problem),
  });
  onTestFinished(() => repairer.close());
  return { repairer, problems, admin };
};

/** Runs a statement as the superuser. */
const run = async (text: string, values: readonly unknown[] = []): Promise<object[]> => {
  const admin = await cluster.connectAsAdmin("postgres");
  const { rows } = await admin.query<object>(text, [...values]);
  await admin.end();
  return rows;
};

const leave = (name: string): Promise<object[]> =>
  run(`create database "${name}" owner "${platformRole}" template template0`);

/** Makes a database look like one whose removal was interrupted, or valid again. */
const setInvalid = (name: string, isInvalid: boolean): Promise<object[]> =>
  run("update pg_database set datconnlimit = $2 where datname = $1", [name, isInvalid ? -2 : -1]);

const completeSpares = async (): Promise<string[]> =>
  (await cluster.namesIn("datname", installation.preparedNamePrefix)).filter(
    (name) => !name.startsWith(installation.unfinishedPreparedNamePrefix),
  );

const isGone = (id: string): Promise<void> =>
  vi.waitFor(async () => expect(await cluster.namesIn("datname", id)).toEqual([]));

describe("the repair of what interrupted work left", () => {
  it("opens a database that a process closed which has ended, when it has no sessions any more", async () => {
    const { id, credential } = await cluster.makeTenant();
    const session = await cluster.connect(id, credential);
    await run(`alter database "${id}" allow_connections false`);
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    onTestFinished(() => void vi.useRealTimers());
    const looks: string[] = [];
    const { admin } = await makeRepairer(async (name, work) => {
      looks.push(name);
      await work();
    });
    const query = vi.spyOn(admin, "query");
    vi.advanceTimersByTime(60_000);
    await vi.waitFor(() => expect(query).toHaveResolved());
    expect(looks).toEqual([]);
    await session.end();
    await vi.waitFor(() => {
      vi.advanceTimersByTime(60_000);
      expect(looks).toEqual([id]);
    });
    await vi.waitFor(() => cluster.connect(id, credential));
  });

  it("leaves a database closed that has sessions, because another process may keep it closed, until it was this one", async () => {
    const { id, credential } = await cluster.makeTenant();
    const unused = await cluster.makeTenant();
    const session = await cluster.connect(id, credential);
    for (const name of [id, unused.id]) await run(`alter database "${name}" allow_connections false`);
    const looks: string[] = [];
    const { repairer } = await makeRepairer(
      async (name, work) => {
        await work();
        looks.push(name);
      },
      { isClusterShared: true },
    );
    repairer.scheduleRepair();
    await vi.waitFor(() => expect(looks.toSorted()).toEqual([id, unused.id].toSorted()));
    await cluster.connect(unused.id, unused.credential);
    await expect(cluster.connect(id, credential)).rejects.toMatchObject({ code: "55000" });
    repairer.scheduleReopening(id);
    await vi.waitFor(() => cluster.connect(id, credential));
    await session.query("select");
  });

  it.each(["a repair", "the check for abandoned databases"])(
    "leaves a database closed that must stay closed: %s",
    async (repair) => {
      const [{ id: closedId }, { id: otherId }] = [await cluster.makeTenant(), await cluster.makeTenant()];
      const close = (id: string): Promise<object[]> => run(`alter database "${id}" allow_connections false`);
      await close(closedId);
      vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
      onTestFinished(() => void vi.useRealTimers());
      const openedIds: string[] = [];
      const { repairer } = await makeRepairer(
        async (name, work) => {
          await work();
          openedIds.push(name);
        },
        { mustStayClosed: (name) => name === closedId },
      );
      // The first repair is complete when the second one begins.
      for (const expected of [[otherId], [otherId, otherId]]) {
        await close(otherId);
        if (repair === "a repair") repairer.scheduleRepair();
        await vi.waitFor(() => {
          if (repair !== "a repair") vi.advanceTimersByTime(60_000);
          expect(openedIds).toEqual(expected);
        });
      }
      await run(`drop database "${closedId}"`);
    },
  );

  it("includes what work left that was interrupted during the repair", async () => {
    const [first, second] = [newTenant().id, newTenant().id];
    await leave(replaced(first));
    const point = new HoldPoint();
    const { repairer } = await makeRepairer(async (_, work) => {
      await point.wait();
      await work();
    });
    repairer.scheduleRepair();
    await point.isReached;
    await leave(replaced(second));
    repairer.scheduleRepair();
    point.release();
    await isGone(first);
    await isGone(second);
  });

  it("continues with the others when Postgres refuses one, and reports that one once", async () => {
    const [refused, other] = [newTenant().id, newTenant().id];
    await leave(replaced(refused));
    await leave(replaced(other));
    const { repairer, problems } = await makeRepairer((name, work) =>
      name === refused ? Promise.reject(new Error("refused")) : work(),
    );
    repairer.scheduleRepair();
    await isGone(other);
    await leave(replaced(other));
    repairer.scheduleRepair();
    await isGone(other);
    expect(await cluster.namesIn("datname", refused)).toEqual([replaced(refused)]);
    expect(problems).toEqual([`The Postgres database ${replaced(refused)} could not be dropped: refused`]);
    await run(`drop database "${replaced(refused)}"`);
  });

  it("reports a database that it cannot open", async () => {
    const { id } = await cluster.makeTenant();
    await run(`alter database ${id} allow_connections false`);
    const { repairer, problems } = await makeRepairer(() => Promise.reject(new Error("refused")));
    repairer.scheduleRepair();
    await vi.waitFor(() =>
      expect(problems).toEqual([`The Postgres database ${id} could not be opened: refused`]),
    );
    await run(`drop database ${id} with (force)`);
  });

  it("reports that it cannot find what is left, and succeeds when it can", async () => {
    const { id } = newTenant();
    await leave(staging(id));
    const { repairer, problems, admin } = await makeRepairer();
    const query = vi.spyOn(admin, "query").mockRejectedValueOnce(new Error("permission denied"));
    repairer.scheduleRepair();
    await vi.waitFor(() =>
      expect(problems).toEqual(["The databases could not be repaired: permission denied"]),
    );
    query.mockRestore();
    repairer.scheduleRepair();
    await isGone(id);
  });

  it("is repeated until Postgres can be reached", async () => {
    const { id } = newTenant();
    await leave(staging(id));
    let attempts = 0;
    const { repairer, problems } = await makeRepairer((_, work) => {
      attempts += 1;
      return attempts < 3 ? Promise.reject(new DatabaseUnavailableError("away")) : work();
    });
    repairer.scheduleRepair();
    await isGone(id);
    expect({ attempts, problems }).toEqual({ attempts: 3, problems: [] });
  });

  it("does not touch open databases, backups, spare databases and those of others", async () => {
    const { id } = await cluster.makeTenant();
    await cluster.databases.backup(id, "bkp_untouched");
    // From then on, only the test changes databases. Where Postgres copies files, one more is the template of the others.
    const spareCount = cluster.policy.major >= 15 ? 4 : 3;
    await vi.waitFor(async () => expect(await completeSpares()).toHaveLength(spareCount));
    for (const name of ["byhand", "making.byhand"]) {
      await run(`create database "${name}" allow_connections false template template0`);
    }
    const find = "select datname, datallowconn from pg_database order by 1";
    const before = await run(find);
    const repaired: string[] = [];
    const { repairer, problems } = await makeRepairer(async (name, work) => {
      await work();
      repaired.push(name);
    });
    // The first repair is complete when the second one begins.
    const left = [newTenant().id, newTenant().id];
    for (const name of left) {
      await leave(staging(name));
      repairer.scheduleRepair();
      await isGone(name);
    }
    await repairer.close();
    expect({ repaired, problems }).toEqual({ repaired: left, problems: [] });
    expect(await run(find)).toEqual(before);
    for (const name of ["byhand", "making.byhand"]) await run(`drop database "${name}"`);
  });

  it("keeps what other work has put in the place of an invalid database", async () => {
    const [kept, gone] = [newTenant().id, newTenant().id];
    for (const id of [kept, gone]) {
      await leave(`${id}.bkp_replaced`);
      await setInvalid(`${id}.bkp_replaced`, true);
    }
    const repaired: string[] = [];
    const { repairer } = await makeRepairer(async (name, work) => {
      if (name === kept) await setInvalid(`${kept}.bkp_replaced`, false);
      await work();
      repaired.push(name);
    });
    repairer.scheduleRepair();
    await vi.waitFor(() => expect(repaired).toHaveLength(2));
    expect(await cluster.namesIn("datname", gone)).toEqual([]);
    expect(await cluster.namesIn("datname", kept)).toEqual([`${kept}.bkp_replaced`]);
  });

  it("does not fail when other work has dropped what it found", async () => {
    const [closed, unfinished] = [await cluster.makeTenant(), newTenant()];
    await run(`alter database ${closed.id} allow_connections false`);
    await leave(staging(unfinished.id));
    const repaired: string[] = [];
    const { repairer, problems } = await makeRepairer(async (name, work) => {
      await run(`drop database "${name === closed.id ? name : staging(name)}"`);
      await work();
      repaired.push(name);
    });
    repairer.scheduleRepair();
    await vi.waitFor(() => expect(repaired).toHaveLength(2));
    expect(problems).toEqual([]);
  });
});

describe("closing", () => {
  it("waits for the repair of one database, and leaves the others to the next start", async () => {
    const ids = [newTenant().id, newTenant().id];
    for (const id of ids) await leave(staging(id));
    const point = new HoldPoint();
    const events: string[] = [];
    const { repairer } = await makeRepairer(async (_, work) => {
      await point.wait();
      await work();
      events.push("repaired");
    });
    repairer.scheduleRepair();
    await point.isReached;
    const closed = repairer.close().then(() => events.push("closed"));
    await settled();
    point.release();
    await closed;
    expect(events).toEqual(["repaired", "closed"]);
    const left = (await Promise.all(ids.map((id) => cluster.namesIn("datname", id)))).flat();
    expect(left).toHaveLength(1);
    for (const name of left) await run(`drop database "${name}"`);
  });

  it("does not wait until the next repair, and begins none", async () => {
    const { id } = newTenant();
    await leave(staging(id));
    const { repairer } = await makeRepairer();
    repairer.scheduleRepair();
    let isClosed = false;
    const closed = repairer.close().then(() => (isClosed = true));
    await settled();
    expect(isClosed).toBe(true);
    repairer.scheduleRepair();
    await closed;
    await repairer.close();
    expect(await cluster.namesIn("datname", id)).toEqual([staging(id)]);
    await run(`drop database "${staging(id)}"`);
  });
});
