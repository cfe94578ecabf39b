import { setTimeout as sleep } from "node:timers/promises";
import type { Answers } from "./answers.js";
import { Away } from "./away.js";
import { LoadClient } from "./client.js";
import { Coverage } from "./coverage.js";
import type { FullDisk } from "./full-disk.js";
import { Keeper } from "./keeper.js";
import { type KillPlan, describeKill, describeVictims, planKill } from "./kill-plan.js";
import { Killer } from "./kills.js";
import { type Baseline, makeForeign, observeBaseline, verifyObjects } from "./leftovers.js";
import type { MgmtDev } from "./mgmt-dev.js";
import { Random } from "./random.js";
import { eventually } from "./violation.js";

const clientCount = 8;

/** Events that leave the platform of the clients alone. */
const harmless: readonly KillPlan["what"][] = ["first start"];

/** A platform that clients use, and that is killed again and again. */
export class CrashTest {
  readonly coverage = new Coverage();
  readonly away: Away;
  readonly #dev: MgmtDev;
  readonly #killer: Killer;
  readonly #keeper: Keeper;
  readonly #seed: string;
  readonly #clients: LoadClient[];
  #baseline: Baseline = { databases: new Set(), roles: new Set() };

  /** @param answers which the test adds to. */
  constructor(dev: MgmtDev, disk: FullDisk, seed: string, answers: Answers) {
    this.#dev = dev;
    this.away = new Away(dev);
    this.#killer = new Killer(dev, disk);
    this.#keeper = new Keeper(dev);
    this.#seed = seed;
    this.#clients = Array.from({ length: clientCount }, (_, index) => {
      const random = new Random(`${seed}:client:${String(index)}`);
      return new LoadClient(dev, random, `c${String(index)}`, answers);
    });
  }

  async begin(): Promise<void> {
    await this.#dev.start();
    const admin = await this.#dev.connectAsAdmin();
    await makeForeign(admin);
    await admin.end();
    this.#baseline = await observeBaseline(this.#dev);
  }

  /** Loads, kills, loads while the platform recovers, and verifies once. */
  async round(index: number): Promise<void> {
    const plan = planKill(new Random(`${this.#seed}:kill:${String(index)}`), index);
    const ending = new AbortController();
    const load = Promise.all(this.#clients.map((client) => client.run()));
    const watches = Promise.all([this.away.watch(ending.signal), this.#keeper.run(ending.signal)]);
    const failure = new Promise<never>((_, reject) => {
      load.catch(reject);
      watches.catch(reject);
    });
    try {
      await Promise.race([this.#disturb(plan, index), failure]);
      for (const client of this.#clients) client.stop();
      await Promise.race([this.#recover(), failure]);
      await Promise.race([load, failure]);
    } finally {
      for (const client of this.#clients) client.stop();
      ending.abort();
    }
    await watches;
    await this.#dev.prepare();
    for (const client of this.#clients) await client.verify();
    await verifyObjects(this.#dev, this.#baseline);
  }

  async end(): Promise<void> {
    await this.#dev.stop();
  }

  /** Carries out the plan while the load goes on. */
  async #disturb(plan: KillPlan, index: number): Promise<void> {
    const { what, step, load, second } = plan;
    const kill = (): Promise<boolean> =>
      this.#killer.kill(plan, () => {
        const pending = this.#clients.flatMap((client) => client.pending ?? []);
        if (step !== undefined) this.coverage.reached(step, pending);
      });
    const isEvent = typeof what === "string";
    const isAtStep = await (isEvent ? this.#keeper.paused(kill) : this.#keeper.whileKilling(kill));
    console.log(
      `${String(index)}: ${describeKill(plan)}${step !== undefined && !isAtStep ? " (step not reached)" : ""}`,
    );
    if (!harmless.includes(what)) this.away.killed(describeVictims(what), index);
    await sleep(second?.after ?? load);
    if (second === undefined) return;
    await this.#keeper.whileKilling(() => this.#killer.killProcesses(second.what));
    this.away.killed(`${describeVictims(what)}, then ${describeVictims(second.what)}`, index);
    await sleep(load - second.after);
  }

  async #recover(): Promise<void> {
    const dev = this.#dev;
    await eventually("mgmt dev does not recover", async () => {
      const { status } = await dev.call(dev.tokens[0], "GET", "/v1/me");
      const admin = await dev.connectAsAdmin();
      await admin.end();
      if (this.away.isAway) return "the API is away";
      return status === 200 ? undefined : String(status);
    });
  }
}
