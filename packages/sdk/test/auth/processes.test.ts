import { readFileSync } from "node:fs";
import { chmod, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type RunningServer, createServer } from "@mgmt/mock/server";
import { type Credential, finishLogin, startLogin } from "@mgmt/sdk/auth";
import { makeFolder, nobody } from "./folders.js";
import { type Program, makeProgram, run } from "./programs.js";

const clientId = "itgr_mgmtcommandlineinterface";
const requests = 50;

let program = "";
beforeAll(async () => {
  program = await makeProgram(`
    import { createInterface } from "node:readline";
    import { createClient } from "@mgmt/sdk";
    import { createAuthenticator } from "@mgmt/sdk/auth";
    import { fileStore } from "@mgmt/sdk/auth/node";
    import { nodeTransport } from "@mgmt/sdk/node";
    const [baseUrl, clientId, file, requests] = process.argv.slice(2);
    const transport = nodeTransport();
    const auth = createAuthenticator({
      authUrl: baseUrl, clientId, transport, store: fileStore(file),
      onBackgroundError: (error) => console.log("background " + error.code),
    });
    const client = createClient({ baseUrl, transport, token: auth.token });
    console.log("ready");
    for await (const line of createInterface(process.stdin)) {
      if (line === "end") break;
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
      for (let sent = 0; sent < Number(requests); sent += 5) {
        await Promise.all(Array.from({ length: 5 }, ask));
      }
      console.log("done " + JSON.stringify({ done, failures }));
    }
    await auth.settled().catch((error) => console.log("unsettled " + error.code));
    process.exit();
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

/** The access token has just expired: the server refuses it, and the file says so too if `isKnown`. */
const endAccessToken = async (credential: Credential, isKnown = true): Promise<void> => {
  await server.engine.clock.advance(3_601_000);
  const expiresAt = isKnown ? Date.now() - 1 : credential.expiresAt;
  await writeFile(file, JSON.stringify({ ...credential, expiresAt }));
  await chmod(file, 0o666);
};

const stored = async (): Promise<Credential> => JSON.parse(await readFile(file, "utf8"));

/** Refreshes that the server has granted. */
const refreshes = (): number => {
  const granted = server.engine.requests.filter(
    ({ operationId, status }) => operationId === "oauth.token" && status === 200,
  );
  // The first one was the login.
  return granted.length - 1;
};

const start = async (count: number): Promise<Program[]> => {
  const programs = Array.from({ length: count }, () =>
    run(program, server.baseUrl, clientId, file, String(requests)),
  );
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

/** Resolves with the next request for tokens, before it is answered. */
const nextTokenRequest = (): Promise<void> =>
  new Promise((resolve) => {
    server.server.on("request", ({ url }) => url === "/token" && resolve());
  });

const holderOfLock = (): number => {
  // The lock's text is what this very build writes.
  const { pid } = JSON.parse(readFileSync(`${file}.lock`, "utf8")) as { pid: number };
  return pid;
};

const patience = { timeout: 120_000 };

describe(
  "16 processes that share a credentials file, the access token just expired, 50 requests each",
  patience,
  () => {
    it("refresh exactly once, as the server counts, and no request fails", async () => {
      const programs = await start(16);
      go(programs);
      expect(await results(programs)).toEqual(allOf(programs));
      expect(refreshes()).toBe(1);
      expect((await stored()).expiresAt).toBeGreaterThan(Date.now());
    });

    it("do so too when none of them knows that it has expired, and all are answered 401", async () => {
      await endAccessToken(await stored(), false);
      await writeFile(file, JSON.stringify({ ...(await stored()), expiresAt: Date.now() + 3_600_000 }));
      const programs = await start(16);
      go(programs);
      expect(await results(programs)).toEqual(allOf(programs));
      expect(refreshes()).toBe(1);
      expect(server.engine.requests.filter(({ status }) => status === 401).length).toBeGreaterThan(16);
    });

    it("do so too when one is killed inside the lock, while the server works on its refresh", async () => {
      server.engine.faults.add({ operation: "oauth.token", latency: 2_000, drop: "before", times: 1 });
      const programs = await start(16);
      const asked = nextTokenRequest();
      go(programs);
      await asked;
      const victim = holderOfLock();
      process.kill(victim, "SIGKILL");
      const others = programs.filter(({ pid }) => pid !== victim);
      expect(others).toHaveLength(15);
      expect(await results(others)).toEqual(allOf(others));
      expect(refreshes()).toBe(1);
    });

    it("lose nothing when one is killed inside the lock right after the server has answered it", async () => {
      const programs = await start(16);
      let victim = 0;
      server.server.on("request", ({ url }, response) => {
        if (url !== "/token" || victim > 0) return;
        victim = holderOfLock();
        // Whether its answer is stored by now is left to chance; the server takes the old token once more for a while.
        response.once("finish", () => process.kill(victim, "SIGKILL"));
      });
      go(programs);
      await Promise.race(programs.map(({ ended }) => ended));
      const others = programs.filter(({ pid }) => pid !== victim);
      expect(await results(others)).toEqual(allOf(others));
      expect(refreshes()).toBeLessThanOrEqual(2);
    });

    it("go on when the store is made read-only after the refresh", async () => {
      const programs = await start(16);
      go(programs);
      await Promise.race(programs.map(({ printed }) => printed("first")));
      await chmod(file, 0o444);
      await chmod(folder, 0o555);
      expect(await results(programs)).toEqual(allOf(programs));
      expect(refreshes()).toBe(1);
      await chmod(folder, 0o777);
    });

    it("lose nothing when the store is made read-only while one refreshes", async () => {
      server.engine.faults.add({ operation: "oauth.token", latency: 500, times: 1 });
      const programs = await start(16);
      const before = await stored();
      const asked = nextTokenRequest();
      go(programs);
      await asked;
      const refresher = holderOfLock();
      await chmod(folder, 0o555);
      const ended = await results(programs);
      for (const [index, { pid, lines }] of programs.entries()) {
        // Whoever has the new token uses it; the others cannot have it, and do not use the old refresh token up.
        if (pid === refresher) expect(ended[index]).toEqual(allDone);
        else expect(ended[index]).toEqual({ done: 0, failures: { "auth:store_read_only": requests } });
        expect(lines.includes("background auth:store_read_only")).toBe(pid === refresher);
      }
      expect(refreshes()).toBe(1);
      expect(await stored()).toEqual(before);
      await chmod(folder, 0o777);
      for (const { pid, say } of programs) if (pid === refresher) say("end");
      await programs.find(({ pid }) => pid === refresher)?.ended;
      const others = programs.filter(({ pid }) => pid !== refresher);
      go(others);
      expect(await results(others)).toEqual(allOf(others));
      expect(refreshes()).toBe(1);
      expect((await stored()).refreshToken).not.toBe(before.refreshToken);
    });

    it("use up no refresh token when the store is read-only from the start, and go on when it is not any more", async () => {
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
  },
);

it("these are real processes of a user whom file modes concern", () => {
  expect(process.getuid?.() === 0 ? nobody.uid : process.getuid?.()).not.toBe(0);
});
