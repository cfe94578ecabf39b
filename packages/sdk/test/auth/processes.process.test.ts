import { readFileSync, watch } from "node:fs";
import { chmod, chown, readFile, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type RunningServer, createServer } from "@mgmt/mock/server";
import { type Credential, finishLogin, startLogin } from "@mgmt/sdk/auth";
import { fileStore } from "@mgmt/sdk/auth/node";
import { asNobody, makeFolder, nobody } from "./folders.js";
import { type Program, setupPrograms, setupProcesses } from "./programs.js";

const makeProgram = setupPrograms();

const clientId = "itgr_mgmtcommandlineinterface";
const requests = 20;

let program = "";
const processes = setupProcesses(() => program);
beforeAll(async () => {
  program = await makeProgram(`
    import { createInterface } from "node:readline";
    import { createClient } from "@mgmt/sdk";
    import { createAuthenticator } from "@mgmt/sdk/auth";
    import { fileStore } from "@mgmt/sdk/auth/node";
    import { nodeTransport } from "@mgmt/sdk/node";
    let auth, client;
    const use = (baseUrl, file) => {
      const transport = nodeTransport();
      auth = createAuthenticator({
        authUrl: baseUrl, clientId: "${clientId}", transport, store: fileStore(file),
        onBackgroundError: (error) => console.log("background " + error.code),
      });
      client = createClient({ baseUrl, transport, token: auth.token });
      console.log("ready");
    };
    const settle = () => auth?.settled().catch((error) => console.log("unsettled " + error.code));
    const end = async () => {
      await settle();
      auth = client = undefined;
      console.log("ended");
    };
    const go = async () => {
      const failures = {};
      let done = 0;
      const ask = async () => {
        try {
          await client.projects.list({ limit: 1 });
          if ((done += 1) === 1) console.log("first");
        } catch (error) {
          failures[error.code ?? String(error)] = (failures[error.code] ?? 0) + 1;
        }
      };
      for (let sent = 0; sent < ${requests}; sent += 5) {
        await Promise.all(Array.from({ length: 5 }, ask));
      }
      console.log("done " + JSON.stringify({ done, failures }));
    };
    const exit = async () => {
      await settle();
      process.exit();
    };
    for await (const line of createInterface(process.stdin)) {
      const [command, ...words] = line.split(" ");
      await { use, go, end, exit }[command](...words);
    }
  `);
});

let server: RunningServer;
let folder = "";
let file = "";

beforeEach(async () => {
  server = await createServer({ engineOptions: { logCapacity: 100_000 } });
  folder = await makeFolder();
  file = join(folder, "credentials.json");
  const oauth = { authUrl: server.baseUrl, clientId };
  const { url, attempt } = await startLogin({ ...oauth, redirectUri: "http://127.0.0.1/callback" });
  const { redirect } = await server.engine.oauth.consent({ url });
  const credential = await finishLogin({ ...oauth, attempt, callback: redirect });
  await endAccessToken(credential);
});
afterEach(() => server.close(0));

/** Stores a login whose access token the server refuses as expired. The file says so too if `isKnown`. */
const endAccessToken = async (credential: Credential, isKnown = true): Promise<void> => {
  await server.engine.clock.advance(3_601_000);
  const expiresAt = isKnown ? Date.now() - 1 : credential.expiresAt;
  await writeFile(file, JSON.stringify({ ...credential, expiresAt }));
  await chmod(file, 0o600);
  if (nobody.uid !== undefined) await chown(file, nobody.uid, nobody.gid);
};

/** Does the same for the newest credential, in the file or beside it. */
const expireStored = async (): Promise<void> => {
  const credential = await asNobody(() => fileStore(file).read());
  if (!credential) throw new Error("Nothing is stored");
  await endAccessToken(credential);
};

const stored = async (): Promise<Credential> => JSON.parse(await readFile(file, "utf8"));

/** Number of refreshes that the server has granted. */
const refreshes = (): number => {
  const granted = server.engine.requests.filter(
    ({ operationId, status }) => operationId === "oauth.token" && status === 200,
  );
  // The first token request was the login.
  return granted.length - 1;
};

const start = async (count: number): Promise<Program[]> => {
  const programs = processes.start(count);
  for (const { say } of programs) say(`use ${server.baseUrl} ${file}`);
  await Promise.all(programs.map(({ printed }) => printed("ready")));
  return programs;
};

const go = (programs: Program[]): void => {
  for (const { say } of programs) say("go");
};

const results = async (programs: Program[]): Promise<unknown[]> => {
  await Promise.all(programs.map(({ printed }) => printed("done")));
  return programs.map(({ lines }) => {
    const line = lines.find((each) => each.startsWith("done ")) ?? "";
    lines.splice(lines.indexOf(line), 1);
    return JSON.parse(line.slice(5));
  });
};

const allDone = { done: requests, failures: {} };
const allOf = (programs: Program[]): unknown[] => programs.map(() => allDone);

/** Resolves when the files of the folder have changed this many times. */
const changes = (count: number): Promise<void> =>
  new Promise((resolve) => {
    let left = count;
    const watcher = watch(folder, () => {
      if ((left -= 1) > 0) return;
      watcher.close();
      resolve();
    });
    if (count > 0) return;
    watcher.close();
    resolve();
  });

/** Resolves at the next token request, before the server responds. */
const nextTokenRequest = (): Promise<void> =>
  new Promise((resolve) => {
    server.server.on("request", ({ url }) => url === "/token" && resolve());
  });

const holderOfLock = (): number => {
  // The lock file has the format of this build.
  const { pid } = JSON.parse(readFileSync(`${file}.lock`, "utf8")) as { pid: number };
  return pid;
};

/** Kills the program with this process id, unless it has ended. */
const killOne = (programs: readonly Program[], victim: number): void =>
  programs.find(({ pid }) => pid === victim)?.kill("SIGKILL");

const patience = { timeout: 120_000 };

describe("16 processes that share a credentials file with an expired access token", patience, () => {
  it("refresh exactly once, as counted by the server, and no request fails", async () => {
    const programs = await start(16);
    go(programs);
    expect(await results(programs)).toEqual(allOf(programs));
    expect(refreshes()).toBe(1);
    expect((await stored()).expiresAt).toBeGreaterThan(Date.now());
  });

  it("refresh exactly once too when none of them knows that the token has expired and all receive 401", async () => {
    await endAccessToken(await stored(), false);
    await writeFile(file, JSON.stringify({ ...(await stored()), expiresAt: Date.now() + 3_600_000 }));
    const programs = await start(16);
    go(programs);
    expect(await results(programs)).toEqual(allOf(programs));
    expect(refreshes()).toBe(1);
    expect(server.engine.requests.filter(({ status }) => status === 401).length).toBeGreaterThan(16);
  });

  it("refresh exactly once too when one is killed inside the lock while the server processes its refresh", async () => {
    server.engine.faults.add({ operation: "oauth.token", latency: 2_000, drop: "before", times: 1 });
    const programs = await start(16);
    const asked = nextTokenRequest();
    go(programs);
    await asked;
    const victim = holderOfLock();
    killOne(programs, victim);
    const others = programs.filter(({ pid }) => pid !== victim);
    expect(others).toHaveLength(15);
    expect(await results(others)).toEqual(allOf(others));
    expect(refreshes()).toBe(1);
  });

  it("lose nothing when one is killed inside the lock right after the server has responded", async () => {
    const programs = await start(16);
    let victim = 0;
    server.server.on("request", ({ url }, response) => {
      if (url !== "/token" || victim > 0) return;
      victim = holderOfLock();
      // The response may or may not be stored by now. The server accepts the old token once more for a while.
      response.once("finish", () => killOne(programs, victim));
    });
    go(programs);
    await Promise.race(programs.map(({ ended }) => ended));
    const others = programs.filter(({ pid }) => pid !== victim);
    expect(await results(others)).toEqual(allOf(others));
    expect(refreshes()).toBeLessThanOrEqual(2);
  });

  it("continue when the store becomes read-only after the refresh", async () => {
    const programs = await start(16);
    go(programs);
    await Promise.race(programs.map(({ printed }) => printed("first")));
    await chmod(file, 0o444);
    await chmod(folder, 0o555);
    expect(await results(programs)).toEqual(allOf(programs));
    expect(refreshes()).toBe(1);
    await chmod(folder, 0o777);
  });

  it.each([
    { what: "folder", modes: () => [[folder, 0o555, 0o777] as const] },
    { what: "file", modes: () => [[file, 0o444, 0o600] as const] },
    {
      what: "file and folder",
      modes: () => [[file, 0o444, 0o600] as const, [folder, 0o555, 0o777] as const],
    },
  ])(
    "refresh exactly once, and no request fails, when the $what becomes read-only while one refreshes",
    async ({ modes }) => {
      server.engine.faults.add({ operation: "oauth.token", latency: 500, times: 1 });
      const programs = await start(16);
      const before = await readFile(file, "utf8");
      const asked = nextTokenRequest();
      go(programs);
      await asked;
      for (const [path, mode] of modes()) await chmod(path, mode);
      expect(await results(programs)).toEqual(allOf(programs));
      expect(refreshes()).toBe(1);
      expect(await readFile(file, "utf8")).toBe(before);

      const [late] = await start(1);
      if (!late) throw new Error("No program was started");
      go([late]);
      expect(await results([late])).toEqual([allDone]);
      expect(refreshes()).toBe(1);
      expect(
        programs.flatMap(({ lines }) => lines).filter((line) => /background|unsettled/.test(line)),
      ).toEqual([]);

      // The last processes that had the new login in memory have ended when the permissions are restored.
      for (const { say } of [...programs, late]) say("exit");
      await Promise.all([...programs, late].map(({ ended }) => ended));
      for (const [path, , mode] of modes()) await chmod(path, mode);
      await expireStored();
      const next = await start(2);
      go(next);
      expect(await results(next)).toEqual(allOf(next));
      expect(refreshes()).toBe(2);
      expect(await readdir(folder)).toEqual(["credentials.json"]);
    },
  );

  it("lose nothing when the store becomes read-only at any other moment", async () => {
    for (let round = 0; round < 4; round += 1) {
      const granted = refreshes();
      await expireStored();
      const before = await readFile(file, "utf8");
      const programs = await start(4);
      const changed = changes(round * 3);
      go(programs);
      await changed;
      await chmod(folder, 0o555);
      const ended = await results(programs);
      if (refreshes() === granted) {
        // Before a refresh starts, no space is reserved.
        for (const each of ended)
          expect(each).toEqual({ done: 0, failures: { "auth:store_read_only": requests } });
        expect(await readFile(file, "utf8")).toBe(before);
      } else {
        expect(ended).toEqual(allOf(programs));
      }
      await chmod(folder, 0o777);
      go(programs);
      expect(await results(programs)).toEqual(allOf(programs));
      expect(refreshes()).toBe(granted + 1);
      await processes.end(programs);
    }
  });

  it("use no refresh token while the store is read-only from the start, and continue when it is writable again", async () => {
    await chmod(folder, 0o555);
    const programs = await start(4);
    go(programs);
    for (const result of await results(programs)) {
      expect(result).toEqual({ done: 0, failures: { "auth:store_read_only": requests } });
    }
    expect(refreshes()).toBe(0);
    await chmod(folder, 0o777);
    go(programs);
    expect(await results(programs)).toEqual(allOf(programs));
    expect(refreshes()).toBe(1);
  });
});

it("runs as a user to whom file modes apply", () => {
  expect(process.getuid?.() === 0 ? nobody.uid : process.getuid?.()).not.toBe(0);
});
