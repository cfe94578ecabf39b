import { DatabaseUnavailableError } from "@mgmt/engine";
import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { PreparedDatabases } from "../../src/databases/prepared-databases.js";
import { Cluster } from "../../../platform/test/cluster.js";
import { HoldPoint, type SteppedCopies, openCopies, settled } from "../stepped-databases.js";

const cluster = new Cluster();

/** Whether Postgres copies the files of databases, because it does not wait for the disk. */
const canCopyFiles = (): boolean => cluster.policy.major >= 15;

afterEach(() => void vi.useRealTimers());

/** Opens real copies, whose creations the test counts and may hold or fail. */
const openCounted = async () => {
  // Its spare databases would be among those of the test.
  await cluster.closeDatabases();
  const { copies } = await openCopies(cluster);
  const created: string[] = [];
  copies.before = (step, name) => void (step !== "drop" && created.push(name));
  return { copies, created };
};

const open = (
  copies: SteppedCopies,
  depth: number,
  ready: readonly string[] = [],
  report: (problem: string) => void = () => undefined,
): PreparedDatabases => {
  const preparedDatabases = new PreparedDatabases(copies, depth, ready, report);
  onTestFinished(() => preparedDatabases.close());
  return preparedDatabases;
};

const fakeTimers = (): void => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
};

const existing = async (name: string): Promise<string[]> => cluster.namesIn("datname", name);

describe("spare databases", () => {
  it("are created two at a time, until there are enough", async () => {
    const { copies, created } = await openCounted();
    const points = Array.from({ length: 5 }, () => new HoldPoint());
    let completed = 0;
    copies.after = () => void (completed += 1);
    copies.before = async (_, name) => points[created.push(name) - 1]?.wait();
    const preparedDatabases = open(copies, 1);
    const taken = [preparedDatabases.acquire(), preparedDatabases.acquire(), preparedDatabases.acquire()];
    await settled();
    // It may be the template of the others.
    expect(created).toHaveLength(1);
    points[0]?.release();
    await points[2]?.isReached;
    await settled();
    expect(created).toHaveLength(3);
    for (const point of points) point.release();
    const names = await Promise.all(taken);
    expect(new Set(names).size).toBe(3);
    const count = canCopyFiles() ? 5 : 4;
    await vi.waitFor(() => expect(completed).toBe(count));
    await settled();
    expect(created).toHaveLength(count);
    expect(created).toEqual(expect.arrayContaining(names));
  });

  it("are copies of the first that was created, which no one gets", async ({ skip }) => {
    if (!canCopyFiles()) skip("this server copies databases through its log");
    const { copies } = await openCounted();
    const created: string[] = [];
    const copied: string[] = [];
    copies.after = (step, name) => void (step === "createEmpty" ? created : copied).push(name);
    const preparedDatabases = open(copies, 1);
    const names = [];
    for (let count = 0; count < 4; count += 1) names.push(await preparedDatabases.acquire());
    expect(names).not.toContain(created[0]);
    expect(created).toHaveLength(1);
    expect(copied).toEqual(expect.arrayContaining(names));
  });

  it("are created without the first one when another process has taken it", async ({ skip }) => {
    if (!canCopyFiles()) skip("this server copies databases through its log");
    const { copies } = await openCounted();
    let templateName = "";
    const steps: string[] = [];
    copies.after = (step, name) => {
      if (step === "createEmpty") templateName ||= name;
      steps.push(step);
    };
    const preparedDatabases = open(copies, 1);
    await preparedDatabases.acquire();
    await vi.waitFor(() => expect(steps.length).toBeGreaterThan(2));
    copies.after = () => undefined;
    await copies.drop(templateName);
    steps.length = 0;
    copies.before = (step) => void steps.push(step);
    const names = [
      await preparedDatabases.acquire(),
      await preparedDatabases.acquire(),
      await preparedDatabases.acquire(),
    ];
    for (const name of names) expect(await existing(name)).toEqual([name]);
    expect(steps[0]).toBe("copyPrepared");
    expect(steps).toContain("createEmpty");
  });

  it("are replaced 30 milliseconds after one was taken, however many are taken in between", async () => {
    const { copies, created } = await openCounted();
    fakeTimers();
    copies.before = (step, name) => {
      created.push(name);
      throw new Error(`no ${step}`);
    };
    const preparedDatabases = open(copies, 2, ["spare.a", "spare.b"]);
    expect(await preparedDatabases.acquire()).toBe("spare.a");
    vi.advanceTimersByTime(20);
    expect(await preparedDatabases.acquire()).toBe("spare.b");
    vi.advanceTimersByTime(9);
    expect(created).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(created).toHaveLength(1);
  });

  it("are created 250 milliseconds after the start", async () => {
    const { copies, created } = await openCounted();
    fakeTimers();
    copies.before = (step, name) => {
      created.push(name);
      throw new Error(`no ${step}`);
    };
    open(copies, 1);
    vi.advanceTimersByTime(249);
    expect(created).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(created).toHaveLength(1);
  });
});

describe("a creation that fails", () => {
  it("rejects everyone who waits for a spare database, and is tried again for the next one", async () => {
    const { copies, created } = await openCounted();
    const refused = new Error("refused");
    const point = new HoldPoint();
    copies.before = async (step) => {
      if (step !== "createEmpty") return;
      await point.wait();
      throw refused;
    };
    const preparedDatabases = open(copies, 1);
    const reasons: unknown[] = [];
    for (let count = 0; count < 4; count += 1) {
      preparedDatabases.acquire().catch((error: unknown) => reasons.push(error));
    }
    point.release();
    await settled();
    expect(reasons).toEqual(Array(4).fill(refused));

    copies.before = (step, name) => void (step !== "drop" && created.push(name));
    expect(created).toContain(await preparedDatabases.acquire());
  });

  it("drops what it made, complete or not", async () => {
    const { copies } = await openCounted();
    const dropped: string[] = [];
    copies.after = (step, name) => {
      if (step === "createEmpty") throw new Error("lost");
      dropped.push(name);
    };
    const preparedDatabases = open(copies, 0);
    await expect(preparedDatabases.acquire()).rejects.toThrow("lost");
    await vi.waitFor(() => expect(dropped).toHaveLength(2));
    for (const name of dropped) expect(await existing(name)).toEqual([]);
    expect(dropped).toEqual([
      expect.stringMatching(/^spare\.\w+\.making\./),
      expect.not.stringContaining("making"),
    ]);
  });

  it("drops what it made once Postgres can be reached", async () => {
    const { copies } = await openCounted();
    let drops = 0;
    copies.before = (step) => {
      if (step === "drop" && (drops += 1) < 3) throw new DatabaseUnavailableError("away");
    };
    let left = "";
    copies.after = (step, name) => {
      if (step !== "createEmpty") return;
      left = name;
      throw new Error("lost");
    };
    await expect(open(copies, 0).acquire()).rejects.toThrow("lost");
    await vi.waitFor(async () => expect(await existing(left)).toEqual([]));
    // Two failed, and there are two names.
    await vi.waitFor(() => expect(drops).toBe(4));
  });

  it("reports what Postgres refuses to drop, drops the rest, and leaves the refused one to the next start", async () => {
    const { copies } = await openCounted();
    const lines: string[] = [];
    let drops = 0;
    copies.before = (step) => {
      if (step !== "drop") return;
      drops += 1;
      if (drops === 1) throw new DatabaseUnavailableError("away");
      if (drops === 2) throw new Error("not now");
    };
    let left = "";
    copies.after = (step, name) => {
      if (step !== "createEmpty") return;
      left = name;
      throw new Error("lost");
    };
    const preparedDatabases = open(copies, 0, [], (line) => void lines.push(line));
    await expect(preparedDatabases.acquire()).rejects.toThrow("lost");
    await vi.waitFor(async () => expect(await existing(left)).toEqual([]));
    expect(lines).toEqual([
      expect.stringMatching(
        /^The Postgres database spare\.\w+\.making\.[.\w]+ could not be dropped: not now$/,
      ),
    ]);
    await preparedDatabases.close();
    expect(drops).toBe(3);
  });
});

describe("closing", () => {
  it("rejects those who wait for a spare database, and waits for those that are being created", async () => {
    const { copies, created } = await openCounted();
    const point = new HoldPoint();
    copies.before = async (step, name) => {
      created.push(name);
      await point.wait();
    };
    const preparedDatabases = open(copies, 2);
    const waiting = preparedDatabases.acquire();
    let isClosed = false;
    const closed = preparedDatabases.close().then(() => (isClosed = true));
    await expect(waiting).rejects.toThrow(DatabaseUnavailableError);
    await expect(preparedDatabases.acquire()).rejects.toThrow(DatabaseUnavailableError);
    expect(isClosed).toBe(false);
    point.release();
    await closed;
    expect(created).toHaveLength(1);
    for (const name of created) expect(await existing(name)).toEqual([name]);
  });

  it("keeps the spare databases that are ready", async () => {
    const { copies } = await openCounted();
    const preparedDatabases = open(copies, 1, ["spare.ready"]);
    await preparedDatabases.close();
    await expect(preparedDatabases.acquire()).rejects.toThrow(DatabaseUnavailableError);
  });

  it("begins no creation any more", async () => {
    const { copies, created } = await openCounted();
    fakeTimers();
    const preparedDatabases = open(copies, 1);
    await preparedDatabases.close();
    vi.advanceTimersByTime(1_000);
    expect(created).toEqual([]);
  });

  it("waits for the removal of what an interrupted creation left, but not for Postgres", async () => {
    const { copies } = await openCounted();
    const point = new HoldPoint();
    copies.before = async (step) => {
      if (step !== "drop") throw new Error("lost");
      await point.wait();
      throw new DatabaseUnavailableError("away");
    };
    const preparedDatabases = open(copies, 0);
    await expect(preparedDatabases.acquire()).rejects.toThrow("lost");
    await point.isReached;
    let isClosed = false;
    const closed = preparedDatabases.close().then(() => (isClosed = true));
    await settled();
    expect(isClosed).toBe(false);
    point.release();
    await settled();
    expect(isClosed).toBe(true);
    await closed;
  });

  it("does not wait until the next attempt to drop what a creation left", async () => {
    const { copies } = await openCounted();
    const failed = new HoldPoint();
    copies.before = (step) => {
      if (step !== "drop") throw new Error("lost");
      void failed.wait();
      throw new DatabaseUnavailableError("away");
    };
    const preparedDatabases = open(copies, 0);
    await expect(preparedDatabases.acquire()).rejects.toThrow("lost");
    await failed.isReached;
    await settled();
    let isClosed = false;
    const closed = preparedDatabases.close().then(() => (isClosed = true));
    await settled();
    expect(isClosed).toBe(true);
    await closed;
  });
});
