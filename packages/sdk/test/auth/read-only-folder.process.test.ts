import { chmod, readdir } from "node:fs/promises";
import { beforeAll, describe, expect, it } from "vitest";
import { makeFolder } from "./folders.js";
import { run, setupPrograms } from "./programs.js";

const makeProgram = setupPrograms();

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

let locker = "";
beforeAll(async () => {
  locker = await makeProgram(`
    import files from "node:fs/promises";
    import { syncBuiltinESMExports } from "node:module";
    import { createInterface } from "node:readline";
    import { withFileLock } from "@mgmt/sdk/auth/node";
    const lock = process.argv[2] + "/lock";
    let go;
    const { writeFile } = files;
    // Pauses the process between a refused write and what it does next.
    const pauseAtRejection = () => {
      files.writeFile = (...args) => writeFile(...args).catch(async (error) => {
        files.writeFile = writeFile;
        syncBuiltinESMExports();
        await new Promise((resolve) => { go = resolve; console.log("refused"); });
        throw error;
      });
      syncBuiltinESMExports();
    };
    for await (const line of createInterface(process.stdin)) {
      const [word, limit] = line.split(" ");
      const signal = limit ? AbortSignal.timeout(Number(limit)) : new AbortController().signal;
      const held = () => new Promise((resolve) => { go = resolve; console.log("held"); });
      if (word === "hold") withFileLock(lock, held, { signal }).then(() => console.log("done"));
      if (word === "go") go();
      if (word === "pause-at-refusal") pauseAtRejection();
      if (word === "take") withFileLock(lock, async () => "it", { signal })
        .catch((error) => typeof error.code === "string" ? error.code : error.name)
        .then((what) => console.log("got " + what));
    }
  `);
});

describe("withFileLock in a folder that becomes read-only", { timeout: 120_000 }, () => {
  /** Programs of a user to whom file modes apply, and their folder. */
  const start = async (count: number) => {
    const folder = await makeFolder();
    const programs = Array.from({ length: count }, () => run(locker, folder));
    const [first, ...others] = programs;
    if (!first) throw new Error("No program was started");
    first.say("hold");
    await first.printed("held");
    const results = (): string[] => others.flatMap(({ lines }) => lines);
    const ended = (): Promise<unknown> => Promise.all(others.map(({ printed }) => printed("got ")));
    const take = (): void => {
      for (const { say } of others) say("take");
    };
    return { folder, first, others, take, results, ended };
  };

  it("makes all processes wait until the holder is done, and gives the lock to none", async () => {
    const { folder, first, others, take, results, ended } = await start(3);
    others[0]?.say("take");
    await pause(100);
    await chmod(folder, 0o555);
    others[1]?.say("take");
    await pause(200);
    expect(results()).toEqual([]);
    first.say("go");
    await first.printed("done");
    await ended();
    expect(results()).toEqual(["got auth:store_read_only", "got auth:store_read_only"]);
    // The former holder is alive, and no process waits for it.
    for (const { lines } of others) lines.length = 0;
    take();
    await ended();
    expect(results()).toEqual(["got auth:store_read_only", "got auth:store_read_only"]);
    await chmod(folder, 0o777);
    for (const { lines } of others) lines.length = 0;
    take();
    await ended();
    expect(results()).toEqual(["got it", "got it"]);
  });

  it("works normally when the folder becomes writable again", async () => {
    const { folder, first, take, results, ended } = await start(3);
    await chmod(folder, 0o555);
    take();
    await pause(100);
    await chmod(folder, 0o777);
    first.say("go");
    await ended();
    expect(results()).toEqual(["got it", "got it"]);
  });

  it("waits through a time in which the folder is read-only", async () => {
    const { folder, first, take, results, ended } = await start(3);
    take();
    await pause(200);
    await chmod(folder, 0o555);
    await pause(200);
    await chmod(folder, 0o777);
    first.say("go");
    await ended();
    expect(results()).toEqual(["got it", "got it"]);
    expect(await readdir(folder)).toEqual([]);
  });

  it("finds the folder writable and the lock released after a refused write", async () => {
    const { folder, first, others, results, ended } = await start(2);
    await chmod(folder, 0o555);
    const [other] = others;
    other?.say("pause-at-refusal");
    other?.say("take");
    await other?.printed("refused");
    await chmod(folder, 0o777);
    first.say("go");
    await first.printed("done");
    other?.say("go");
    await ended();
    expect(results()).toEqual(["refused", "got it"]);
  });

  it("ends the wait for a killed holder, and when it is aborted", async () => {
    const { folder, first, others, results, ended } = await start(3);
    await chmod(folder, 0o555);
    others[0]?.say("take 100");
    await others[0]?.printed("got ");
    expect(results()).toEqual(["got TimeoutError"]);
    others[1]?.say("take");
    await pause(100);
    first.kill("SIGKILL");
    await ended();
    expect(results()).toEqual(["got TimeoutError", "got auth:store_read_only"]);
  });
});
