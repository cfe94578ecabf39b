import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdir, readFile, readdir, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { withFileLock } from "@mgmt/sdk/auth/node";
import { thrown } from "../../../test/server.js";
import { makeFolder, nobody } from "../../../test/auth/folders.js";
import { run, setupPrograms } from "../../../test/auth/programs.js";

const makeProgram = setupPrograms();

const { signal } = new AbortController();
const silenceMs = 150;
/** A process that cannot be checked. */
const elsewhere = { pid: 1, started: "1", place: "elsewhere", machine: null };
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

let worker = "";
beforeAll(async () => {
  worker = await makeProgram(`
    import { open, readFile, rm, writeFile } from "node:fs/promises";
    import { withFileLock } from "@mgmt/sdk/auth/node";
    const [folder, task, count] = process.argv.slice(2);
    const { signal } = new AbortController();
    const inside = folder + "/inside", counter = folder + "/counter";
    const isAlive = async (pid) => {
      const stat = await readFile("/proc/" + pid + "/stat", "utf8").catch(() => ") X");
      return !/\\) [ZX]/.test(stat);
    };
    const enter = async () => {
      try {
        const handle = await open(inside, "wx");
        await handle.writeFile(String(process.pid));
        await handle.close();
      } catch (error) {
        const other = Number(await readFile(inside, "utf8"));
        if (error.code !== "EEXIST" || (other > 0 && (await isAlive(other)))) throw new Error("met " + other);
        await rm(inside);
        await enter();
      }
    };
    if (task === "hold") {
      await withFileLock(folder + "/lock", () => new Promise((resolve) => {
        console.log("holding");
        process.stdin.once("data", resolve);
      }), { signal });
      process.exit();
    }
    const die = () => process.kill(process.pid, "SIGKILL");
    if (task === "die") setTimeout(die, Math.random() * 600).unref();
    for (let round = 0; round < Number(count); round += 1) {
      await withFileLock(folder + "/lock", async () => {
        await enter();
        if (task === "die" && Math.random() < 0.2) die();
        const seen = Number(await readFile(counter, "utf8"));
        await writeFile(counter, String(seen + 1));
        await rm(inside);
      }, { signal });
    }
  `);
});

const makeCounter = async (): Promise<string> => {
  const folder = await makeFolder();
  await writeFile(join(folder, "counter"), "0");
  await chmod(join(folder, "counter"), 0o666);
  return folder;
};

describe("withFileLock", { timeout: 120_000 }, () => {
  it("returns the result of the work and leaves no files behind, whether it succeeds or fails", async () => {
    const folder = await makeFolder();
    const lock = join(folder, "deep", "lock");
    expect(await withFileLock(lock, async () => readdir(join(folder, "deep")), { signal })).toEqual(["lock"]);
    const failure = new Error("no");
    expect(await thrown(withFileLock(lock, () => Promise.reject(failure), { signal }))).toBe(failure);
    expect(await readdir(join(folder, "deep"))).toEqual([]);
  });

  it("runs one piece of work at a time in a process", async () => {
    const lock = join(await makeFolder(), "lock");
    let inside = 0;
    const work = async (): Promise<number> => {
      inside += 1;
      await pause(1);
      expect(inside).toBe(1);
      return (inside -= 1);
    };
    await Promise.all(Array.from({ length: 30 }, () => withFileLock(lock, work, { signal })));
  });

  it("runs one piece of work at a time across 8 processes", async () => {
    const folder = await makeCounter();
    const programs = Array.from({ length: 8 }, () => run(worker, folder, "count", "25"));
    for (const { ended, errors } of programs) expect([await ended, errors()]).toEqual([0, ""]);
    expect(await readFile(join(folder, "counter"), "utf8")).toBe("200");
    expect((await readdir(folder)).sort()).toEqual(["counter"]);
  });

  it("runs one piece of work at a time while processes are killed inside, waiting or taking over", async () => {
    const folder = await makeCounter();
    const ended: unknown[] = [];
    for (let round = 0; round < 3; round += 1) {
      const programs = Array.from({ length: 6 }, () => run(worker, folder, "die", "5"));
      for (const program of programs) ended.push([await program.ended, program.errors()]);
    }
    const expected: unknown[] = [
      [0, ""],
      ["SIGKILL", ""],
    ];
    for (const each of ended) expect(expected).toContainEqual(each);
    expect(ended).toContainEqual(["SIGKILL", ""]);
    const last = run(worker, folder, "count", "1");
    expect([await last.ended, last.errors()]).toEqual([0, ""]);
    // A process that was killed before it could write its owner may have left a file.
    expect((await readdir(folder)).filter((name) => !name.endsWith(".own"))).toEqual(["counter"]);
  });

  it("replaces a killed holder at once, and only once", async () => {
    const folder = await makeCounter();
    const holder = run(worker, folder, "hold");
    await holder.printed("holding");
    const waiting = Array.from({ length: 6 }, () => run(worker, folder, "count", "1"));
    await pause(300);
    expect(await readFile(join(folder, "counter"), "utf8")).toBe("0");
    holder.kill("SIGKILL");
    for (const { ended, errors } of waiting) expect([await ended, errors()]).toEqual([0, ""]);
    expect(await readFile(join(folder, "counter"), "utf8")).toBe("6");
    expect((await readdir(folder)).sort()).toEqual(["counter"]);
  });

  it("respects a holder that is alive, even if it is stopped", async () => {
    const folder = await makeCounter();
    const holder = run(worker, folder, "hold");
    await holder.printed("holding");
    holder.kill("SIGSTOP");
    const limit = AbortSignal.timeout(500);
    const waiting = withFileLock(join(folder, "lock"), async () => undefined, {
      signal: limit,
      silenceMs: 50,
    });
    expect(await thrown(waiting)).toBe(limit.reason);
    holder.kill("SIGCONT");
    holder.say("done");
    await withFileLock(join(folder, "lock"), async () => undefined, { signal });
    expect(await readdir(folder)).toEqual(["counter"]);
  });

  it("replaces a holder that is dead but not yet reaped by its parent", async () => {
    const folder = await makeCounter();
    const script = '"$0" "$@" & exec sleep 60';
    const parent = spawn("bash", ["-c", script, process.execPath, worker, folder, "hold"], { ...nobody });
    await once(parent.stdout, "data");
    // The lock file has the format of this build.
    const { pid } = JSON.parse(await readFile(join(folder, "lock"), "utf8")) as { pid: number };
    process.kill(pid, "SIGKILL");
    await withFileLock(join(folder, "lock"), async () => undefined, { signal });
    expect(await readFile(`/proc/${pid}/stat`, "utf8")).toContain(") Z ");
    parent.kill("SIGKILL");
  });

  it("replaces a holder whose pid belongs to another process by now", async () => {
    const lock = join(await makeFolder(), "lock");
    await withFileLock(
      lock,
      async () => {
        const text = await readFile(lock, "utf8");
        const before = text.replace(/"started":"\d+"/, '"started":"1"').replace(/"nonce":"./, '"nonce":"0');
        expect(before).not.toBe(text);
        await writeFile(lock, before);
      },
      { signal },
    );
    expect(await withFileLock(lock, async () => "mine", { signal })).toBe("mine");
  });

  it.each([
    ["of another machine", { nonce: "a".repeat(36), ...elsewhere }],
    ["that says nothing", undefined],
  ])("%s blocks others while it sends heartbeats, and is replaced when it stops", async (_, owner) => {
    const lock = join(await makeFolder(), "lock");
    await writeFile(lock, owner === undefined ? "" : JSON.stringify(owner));
    let isHeld = true;
    const beating = setInterval(() => {
      const now = new Date();
      void utimes(lock, now, now);
    }, 20);
    const waiting = withFileLock(lock, async () => isHeld, { signal, silenceMs });
    await pause(silenceMs * 4);
    isHeld = false;
    clearInterval(beating);
    expect(await waiting).toBe(false);
  });

  it.each([
    ["its own successor", [1]],
    ["succeeded by a holder that it succeeds", [2, 1]],
  ])("ends the wait when it is aborted, if the lock of a dead holder is %s", async (_, successors) => {
    const folder = await makeFolder();
    const nonceOf = (digit: number): string => String(digit).repeat(36);
    // The process cannot be checked, and it sends no heartbeats.
    const holder = (digit: number): string => JSON.stringify({ nonce: nonceOf(digit), ...elsewhere });
    await writeFile(join(folder, "lock"), holder(1));
    let before = 1;
    for (const next of successors) {
      await writeFile(join(folder, `lock.${nonceOf(before)}`), holder(next));
      before = next;
    }
    const cancel = new AbortController();
    const attempt = thrown(
      withFileLock(join(folder, "lock"), async () => "work", { signal: cancel.signal, silenceMs: 0 }),
    );
    cancel.abort(new Error("enough"));
    expect(await attempt).toMatchObject({ message: "enough" });
  });

  it.skipIf(process.platform === "win32")("takes over a lock file that is a named pipe", async () => {
    const lock = join(await makeFolder(), "lock");
    execFileSync("mkfifo", [lock]);
    expect(await withFileLock(lock, async () => "work", { signal, silenceMs })).toBe("work");
  });

  it("throws the reason of a signal that is aborted while it waits, or was before", async () => {
    const folder = await makeFolder();
    const lock = join(folder, "lock");
    const controller = new AbortController();
    const reason = new Error("enough");
    await withFileLock(
      lock,
      async () => {
        const waiting = thrown(withFileLock(lock, async () => "never", { signal: controller.signal }));
        await pause(60);
        controller.abort(reason);
        expect(await waiting).toBe(reason);
        expect(await readdir(folder)).toEqual(["lock"]);
      },
      { signal },
    );
    expect(await thrown(withFileLock(lock, async () => "never", { signal: controller.signal }))).toBe(reason);
    expect(await readdir(folder)).toEqual([]);
  });

  it("does not release a lock that was taken over from a holder considered dead", async () => {
    const lock = join(await makeFolder(), "lock");
    await withFileLock(
      lock,
      async () => {
        await writeFile(lock, JSON.stringify({ nonce: "b".repeat(36), ...elsewhere }));
      },
      { signal },
    );
    expect(await readFile(lock, "utf8")).toContain("bbbb");
  });

  it("reports that its folder cannot be created", async () => {
    const folder = await makeFolder();
    await writeFile(join(folder, "file"), "");
    const work = withFileLock(join(folder, "file", "lock"), async () => "never", { signal });
    expect(await thrown(work)).toMatchObject({ name: "TokenStoreError", code: "auth:store_failed" });
    await mkdir(join(folder, "lock"));
    const taken = withFileLock(join(folder, "lock"), async () => "never", { signal });
    expect(await thrown(taken)).toMatchObject({ code: "auth:store_failed" });
  });

  it("keeps the file that a waiter creates again while the holder looks for it", async () => {
    const program = await makeProgram(`
      import files from "node:fs/promises";
      import { syncBuiltinESMExports } from "node:module";
      import { withFileLock } from "@mgmt/sdk/auth/node";
      const lock = process.argv[2] + "/lock";
      const late = lock + ".late.own";
      const { open, readdir } = files;
      files.readdir = async (...args) => [...(await readdir(...args)), "lock.late.own"];
      files.open = async (...args) => {
        const opened = open(...args);
        if (args[0] === late) await opened.catch(() => files.writeFile(late, "waits"));
        return opened;
      };
      syncBuiltinESMExports();
      const { signal } = new AbortController();
      await withFileLock(lock, async () => console.log(await files.readFile(late, "utf8")), { signal });
    `);
    const { ended, lines, errors } = run(program, await makeFolder());
    expect(await ended, errors()).toBe(0);
    expect(lines).toEqual(["waits"]);
  });
});
