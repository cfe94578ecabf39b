import { open, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { descendantsOf, killAll, postmasterPid } from "../../packages/platform/test/processes.js";
import { MgmtDev } from "../crash/mgmt-dev.js";
import { verifyFolders } from "../crash/postgres-objects.js";
import { listAt, textAt } from "../crash/request.js";
import {
  type Database,
  createCopy,
  createProject,
  deleteDatabase,
  fill,
  inSession,
  readContent,
  writeRandomly,
} from "./databases.js";
import { type Place, makePlace, mountXfs, runProgram, xfsProblem } from "./xfs.js";

const mebibyte = 1024 * 1024;

const report = (title: string, values: Record<string, number | string>): void =>
  console.log(`${title}: ${JSON.stringify(values)}`);

/** Repeats a statement in a database while work runs. Returns the longest time between two results, in milliseconds. */
const measureLongestGap = async (url: string, work: () => Promise<unknown>): Promise<number> => {
  let isDone = false;
  let longest = 0;
  const look = async (): Promise<void> => {
    let lastAt = performance.now();
    while (!isDone) {
      await inSession(url, async (client) => {
        while (!isDone) {
          await client.query("select 1");
          longest = Math.max(longest, performance.now() - lastAt);
          lastAt = performance.now();
          await sleep(2);
        }
      }).catch(() => undefined);
    }
  };
  const looking = look();
  await work().finally(() => (isDone = true));
  await looking;
  return longest;
};

/** Changes rows of a database again and again while work runs, also after its sessions have ended. */
const whileLoaded = async <T>(urls: readonly string[], work: () => Promise<T>): Promise<T> => {
  let isDone = false;
  const load = urls.map(async (url) => {
    while (!isDone) await writeRandomly(url, 20).catch(() => undefined);
  });
  await sleep(1_000);
  try {
    return await work();
  } finally {
    isDone = true;
    await Promise.all(load);
  }
};

describe.skipIf(xfsProblem !== undefined)("a data directory on XFS", () => {
  let place: Place;
  let source: Database;
  let other: Database;
  beforeAll(async () => {
    place = await mountXfs("10G");
    await place.dev.start();
    source = await createProject(place.dev, "source");
    other = await createProject(place.dev, "other");
    await fill(source.url, 2_000);
    await fill(other.url, 50);
  });
  afterAll(() => place.close());

  it("clones two gigabytes within a second, and with a hundredth of the disk", async () => {
    expect(place.dev.ready.copyMethod).toBe("clone");
    const before = await place.readUsed();
    const { ms } = await createCopy(place.dev, source, "first");
    const bytes = (await place.readUsed()) - before;
    report("copy of 2 GB", { ms: Math.round(ms), mebibytes: Math.round(bytes / mebibyte) });
    expect(ms).toBeLessThanOrEqual(1_000);
    expect(bytes).toBeLessThanOrEqual(20 * mebibyte);
  });

  it("keeps the source from its clients for half a second at most, while it and others are changed", async () => {
    await whileLoaded([source.url, other.url], async () => {
      for (const name of ["second", "third"]) {
        const gap = await measureLongestGap(source.url, () => createCopy(place.dev, source, name));
        report("source away under load", { ms: Math.round(gap) });
        expect(gap).toBeLessThanOrEqual(500);
      }
    });
  });

  it("has room for fifty branches, and for what is written to each side", async () => {
    const before = await place.readUsed();
    const times: number[] = [];
    let branch: Database = source;
    for (let index = 0; index < 50; index += 1) {
      const copy = await createCopy(place.dev, source, `branch-${String(index)}`);
      times.push(copy.ms);
      branch = copy;
    }
    const bytes = (await place.readUsed()) - before;
    const sorted = times.toSorted((left, right) => left - right);
    report("50 branches of 2 GB", {
      medianMs: Math.round(sorted[25] ?? 0),
      longestMs: Math.round(sorted.at(-1) ?? 0),
      mebibytes: Math.round(bytes / mebibyte),
    });
    expect(bytes).toBeLessThanOrEqual(50 * 20 * mebibyte);

    const content = await readContent(source.url);
    expect(await readContent(branch.url)).toBe(content);
    await writeRandomly(source.url, 100);
    expect(await readContent(branch.url)).toBe(content);
    const changedContent = await readContent(source.url);
    expect(changedContent).not.toBe(content);
    await writeRandomly(branch.url, 100);
    expect(await readContent(source.url)).toBe(changedContent);
  });
});

describe.skipIf(xfsProblem !== undefined)("a clone", () => {
  let place: Place;
  beforeAll(async () => {
    place = await mountXfs("3G");
    await place.dev.start();
  });
  afterAll(() => place.close());

  it("has everything that its source has", async () => {
    const source = await createProject(place.dev, "everything");
    await fill(source.url, 40);
    await inSession(source.url, async (client) => {
      await client.query("create extension pg_trgm");
      await client.query(
        "create unlogged table fast as select n, repeat('x', 500) as text from generate_series(1, 20000) n",
      );
      await client.query("create sequence numbers; select nextval('numbers') from generate_series(1, 7)");
      await client.query(
        "select lo_from_bytea(0, decode(repeat('ab', 100000), 'hex')) from generate_series(1, 20)",
      );
      await client.query(
        `do $$ begin for n in 1..5000 loop
           execute format('create table many_%s (id integer primary key, text text)', n);
           execute format('insert into many_%s values (%s, %L)', n, n, n);
           if n % 500 = 0 then commit; end if;
         end loop; end $$`,
      );
      // There are none where Postgres has no room for them, as in mgmt dev.
      await expect(client.query("begin; prepare transaction 'half'")).rejects.toMatchObject({
        code: "55000",
      });
      await client.query("rollback");
    });
    const content = await readContent(source.url);
    // An open transaction ends with its session.
    const copy = await inSession(source.url, async (client) => {
      await client.query("begin; insert into fast values (0, 'open'); delete from many_1");
      return createCopy(place.dev, source, "copy");
    });
    report("copy of 5,000 tables", { ms: Math.round(copy.ms) });
    expect(await readContent(copy.url)).toBe(content);
    expect(await readContent(source.url)).toBe(content);
  });

  it("is complete or not there after a process was killed, and leaves no files", async () => {
    const { dev } = place;
    const source = await createProject(dev, "killed");
    await fill(source.url, 200);
    const content = await readContent(source.url);
    const victims = {
      backend: async () => {
        const admin = await dev.connectAsAdmin();
        const { rows } = await admin.query<{ pid: number }>(
          "select pid from pg_stat_activity where query ~ '^(create database|checkpoint)' and state = 'active'",
        );
        await admin.end();
        return rows.map(({ pid }) => pid);
      },
      postmaster: async () => [await postmasterPid(dev.cluster)],
      platform: () => Promise.resolve([dev.ready.pid]),
      everything: () => Promise.resolve([dev.ready.pid, ...descendantsOf(dev.ready.pid)]),
    };
    for (let index = 0; index < 16; index += 1) {
      const findVictims = Object.values(victims)[index % 4] ?? victims.backend;
      const copying = createCopy(dev, source, `killed-${String(index)}`).catch(() => undefined);
      // From the checkpoint before the copy to the change of the owner after it.
      await sleep(15 * index);
      killAll(await findVictims());
      await copying;
      if (!dev.isRunning || index % 4 >= 2) {
        await dev.ended();
        await dev.startAgain();
      }
      await expect.poll(() => readContent(source.url).catch(() => ""), { timeout: 60_000 }).toBe(content);
    }
    await dev.stop();
    await dev.start();
    await verifyFolders(dev);
    const list = async () => {
      const { body } = await dev.call(
        dev.tokens[0],
        "GET",
        `/v1/databases?projectId=${source.project}&limit=100`,
      );
      return listAt(body, "data").map((item) => ({
        id: textAt(item, "id"),
        name: textAt(item, "name"),
        status: textAt(item, "status"),
      }));
    };
    await expect
      .poll(async () => (await list()).filter(({ status }) => status !== "ready"), { timeout: 60_000 })
      .toEqual([]);
    const copies = (await list()).filter(({ id }) => id !== source.id);
    report("copies that exist after 16 kills", { count: copies.length });
    expect(new Set(copies.map(({ name }) => name)).size).toBe(copies.length);
    for (const { id } of copies) {
      const copy = await dev.call(dev.tokens[0], "POST", `/v1/databases/${id}/connections`, {
        name: "check",
      });
      expect(await readContent(textAt(copy.body, "data", "connectionString"))).toBe(content);
      await deleteDatabase(dev, { id });
    }
  });

  it("waits while the disk is full, and harms nothing", async () => {
    const { dev } = place;
    const source = await createProject(dev, "full");
    await fill(source.url, 100);
    const content = await readContent(source.url);
    const before = await createCopy(dev, source, "before");
    const filler = join(dev.dataDir, "filler");
    const file = await open(filler, "w");
    const block = Buffer.alloc(mebibyte);
    // Until nothing is left.
    for (let size = mebibyte; size >= 4096;) await file.write(block, 0, size).catch(() => (size /= 4));
    await file.close();
    const refusals = await Promise.allSettled([
      createCopy(dev, source, "during"),
      // A change of a shared block needs a new one.
      writeRandomly(before.url, 2_000),
    ]);
    report("on a full disk", {
      refusals: refusals
        .map((result) => (result.status === "rejected" ? String(result.reason).slice(0, 150) : "done"))
        .join("; "),
    });
    await rm(filler);
    await expect.poll(() => readContent(source.url).catch(() => ""), { timeout: 60_000 }).toBe(content);
    const after = await createCopy(dev, source, "after");
    expect(await readContent(after.url)).toBe(content);
    await writeRandomly(before.url, 100);
    expect(await readContent(source.url)).toBe(content);
    await dev.stop();
    await dev.start();
    await verifyFolders(dev);
    expect(await readContent(source.url)).toBe(content);
  });
});

describe.skipIf(xfsProblem !== undefined)("a data directory that was moved from XFS", () => {
  it.each([
    ["XFS that cannot clone files", () => mountXfs("2G", { reflink: false })],
    ["another file system", makePlace],
  ])("is used on %s, and is copied there", async (_, makeTarget) => {
    const [place, target] = [await mountXfs("2G"), await makeTarget()];
    onTestFinished(async () => {
      await place.close();
      await target.close();
    });
    await place.dev.start();
    const source = await createProject(place.dev, "moved");
    await fill(source.url, 100);
    const content = await readContent(source.url);
    expect(place.dev.ready.copyMethod).toBe("clone");
    await place.dev.stop();
    runProgram("cp", "--archive", "--reflink=never", `${place.dev.dataDir}/.`, target.dev.dataDir);
    await target.dev.start();
    expect(target.dev.ready.copyMethod).toBe("copy");
    const moved = { ...source, url: await findUrl(target.dev, source) };
    expect(await readContent(moved.url)).toBe(content);
    const copy = await createCopy(target.dev, moved, "copy");
    expect(await readContent(copy.url)).toBe(content);
  });
});

/** Returns the connection string of a database in a moved data directory, whose ports may be others. */
const findUrl = async (dev: MgmtDev, { url }: Database): Promise<string> => {
  const moved = new URL(url);
  const manifest: { postgres: { port: number } } = JSON.parse(
    await readFile(join(dev.dataDir, "platform.json"), "utf8"),
  );
  moved.port = String(manifest.postgres.port);
  return moved.href;
};

describe("a data directory on another file system", () => {
  it("copies a database about as fast as cp", async () => {
    const place = await makePlace();
    onTestFinished(() => place.close());
    const { dev } = place;
    await dev.start();
    const source = await createProject(dev, "source");
    await fill(source.url, 500);
    const admin = await dev.connectAsAdmin();
    const { rows } = await admin.query<{ oid: string }>(
      "select oid::text from pg_database where datname = $1",
      [source.id],
    );
    await admin.query("checkpoint");
    await admin.end();
    const times = { mgmt: [] as number[], cp: [] as number[] };
    for (let run = 0; run < 3; run += 1) {
      const copy = await createCopy(dev, source, `copy-${String(run)}`);
      times.mgmt.push(Math.round(copy.ms));
      await deleteDatabase(dev, copy);
      const target = join(place.folder, "by-hand");
      const startedAt = performance.now();
      runProgram("cp", "--recursive", join(dev.cluster, "base", rows[0]?.oid ?? ""), target);
      runProgram("sync", "--file-system", target);
      times.cp.push(Math.round(performance.now() - startedAt));
      await rm(target, { recursive: true });
    }
    report(`copies of 500 MB (${dev.ready.copyMethod})`, {
      mgmt: times.mgmt.join(" "),
      cp: times.cp.join(" "),
    });
    expect(Math.min(...times.mgmt)).toBeLessThanOrEqual(1.1 * Math.min(...times.cp));
  });
});

if (xfsProblem !== undefined) console.log(`Nothing is cloned: ${xfsProblem}`);
