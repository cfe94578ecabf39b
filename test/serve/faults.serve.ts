import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { verifyObjects } from "../crash/postgres-objects.js";
import { textAt } from "../crash/request.js";
import { whileStoppedAt } from "../crash/steps.js";
import { Api } from "../crash/verify.js";
import { eventually } from "../crash/violation.js";
import { Load } from "./load.js";
import { ServePlace, isFull } from "./place.js";

const place = new ServePlace();
const seed = process.env["MGMT_TEST_SEED"] ?? (isFull ? String(Date.now()) : "gate");
const kills = Number(process.env["MGMT_SERVE_KILLS"] ?? (isFull ? 200 : 5));
/** Leftovers of a killed server are removed every 20 seconds, which is not awaited after each kill. */
const settledEvery = 5;
const restarts = isFull ? 20 : 1;

/** How long Postgres may not have what the records say after a fault, in milliseconds. */
const maxSettlingMs = 60_000;

/** How long a server is frozen, how late writes through the other one may be, and how long the work of the frozen one may take then. */
const [frozenMs, maxWriteMs, maxJobMs] = [60_000, 25_000, 30_000];

const seconds = (milliseconds: number): string => `${(milliseconds / 1_000).toFixed(1)} s`;

const expectSettled = (times: readonly number[]): void => {
  const longest = Math.max(...times);
  console.log(`settled ${String(times.length)} times, after at most ${seconds(longest)} (seed ${seed})`);
  // The part for every change depends on no speed.
  if (isFull) expect(longest).toBeLessThan(maxSettlingMs);
};

describe("two servers under load", () => {
  it(`kill: lose nothing when one is killed (${String(kills)} times)`, async () => {
    await place.startTwo();
    const load = new Load(place, `${seed}k`);
    const times: number[] = [];
    const startedAt = performance.now();
    for (let index = 1; index <= kills; index += 1) {
      let moment = "";
      await load.during(async () => {
        moment = await load.atMoment(index, async (server) => {
          await server.end("SIGKILL");
        });
        for (const server of place.servers.filter(({ isRunning }) => !isRunning)) await place.replace(server);
      });
      if (index % settledEvery === 0) times.push(await load.settle());
      console.log(`${String(index)}: killed ${moment}, ${seconds(performance.now() - startedAt)}`);
    }
    expectSettled(times);
  });

  it("restart: lose nothing when Postgres ends at once", async () => {
    await place.startTwo();
    const load = new Load(place, `${seed}r`);
    const times: number[] = [];
    for (let index = 0; index < restarts; index += 1) {
      await load.during(async () => {
        await sleep(1_000);
        const { server } = place.service.cluster;
        server.kill();
        await server.exited;
        await server.dismissWatchdog();
        await place.service.cluster.startServer();
      });
      times.push(await load.settle());
    }
    expectSettled(times);
  });

  it.runIf(isFull).each([undefined, "create a database", "rename a database", "store a database"])(
    "freeze: go on when one is frozen for a minute, and have it back afterwards (step: %s)",
    async (step) => {
      const [frozen, other] = await place.startTwo();
      const created: string[] = [];
      const create = async (name: string): Promise<void> => {
        const answer = await frozen.call(place.tokens[0], "POST", "/v1/projects", { name });
        if (answer.status === 201) created.push(textAt(answer.body, "data", "database", "id"));
      };
      const names = Array.from({ length: 8 }, (_, index) => `frozen ${String(step)} ${String(index)}`);
      // The frozen server does not respond.
      const requests = names.map((name) => create(name).catch(() => undefined));
      if (step === undefined) await Promise.race(requests);
      const stop = () => Promise.resolve(frozen.signal("SIGSTOP"));
      await (step === undefined ? stop() : whileStoppedAt(place, step, stop));
      const frozenAt = performance.now();
      const isOver = (): boolean => performance.now() - frozenAt > frozenMs;

      let longestWriteMs = 0;
      const write = async (): Promise<void> => {
        for (; !isOver(); await sleep(100)) {
          const startedAt = performance.now();
          const repeat = async (): Promise<string | undefined> => {
            const body = { createDatabase: false };
            const { status } = await other.call(place.tokens[0], "POST", "/v1/projects", body);
            return status === 201 ? undefined : String(status);
          };
          await eventually("A write", repeat);
          longestWriteMs = Math.max(longestWriteMs, performance.now() - startedAt);
        }
      };
      const waitUntilReady = async (): Promise<number> => {
        await eventually("Databases of the frozen server are not ready", async () => {
          const answers = await Promise.all(
            created.map((id) => other.call(place.tokens[0], "GET", `/v1/databases/${id}`)),
          );
          const statuses = answers.map(({ body }) => textAt(body, "data", "status"));
          return statuses.every((status) => status === "ready") ? undefined : statuses.join();
        });
        return performance.now() - frozenAt;
      };
      const [readyMs] = await Promise.all([waitUntilReady(), write()]);
      console.log(
        `freeze at ${String(step)}: ${String(created.length)} databases ready after ${seconds(readyMs)}, longest write ${seconds(longestWriteMs)}`,
      );
      frozen.signal("SIGCONT");
      await frozen.waitFor((message) => message.includes("starts again"));
      await Promise.all(requests);
      await eventually("The frozen server does not respond", async () => {
        const { status } = await frozen.call(place.tokens[0], "GET", "/v1/projects");
        return status === 200 ? undefined : String(status);
      });
      const projects = await new Api(place, place.tokens[0]).list("/v1/projects");
      for (const name of names)
        expect(projects.filter((project) => textAt(project, "name") === name).length).toBeLessThan(2);
      await verifyObjects(place, place.before);
      expect(longestWriteMs).toBeLessThan(maxWriteMs);
      expect(readyMs).toBeLessThan(maxWriteMs + maxJobMs);
    },
  );
});
